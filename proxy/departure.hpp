#pragma once
// What becomes of an exchange whose client goes away before the answer is complete: a silent stream would not notice.
// One timer for all of a context looks at exchanges that last, so that those that do not, which are most, cost nothing.

#include <boost/asio/cancellation_signal.hpp>
#include <boost/intrusive/list_hook.hpp>
#include <chrono>

#include "proxy/connection.hpp"

namespace podfence::proxy {

class Departures;

class Departure : public boost::intrusive::list_base_hook<> {
 public:
  enum class Means {
    Cancel,   ///< all that is waited for ends; upstream's connection is closed
    Finish,   ///< nothing yet: what upstream is doing has to be recorded or undone. The session looks when it is.
    Outlast,  ///< nothing: upstream goes on by itself, and is waited for. Only who is sent away ends it
    Drain,    ///< a tunnel passes on what the client sent before, for `close_time`; of who is sent away nothing
  };

  /// `session`: ends what the session waits for.
  Departure(Connection& client, std::chrono::milliseconds close_time, boost::asio::cancellation_signal& session);
  Departure(const Departure&) = delete;
  Departure& operator=(const Departure&) = delete;

  void set(Means means) { means_ = means; }
  /// As if the client had gone, whatever comes next on its connection. At once: nothing is passed on for it behind
  /// this. Within the executor.
  void send_away();
  bool is_sent_away() const { return sent_away_; }

  /// For as long as it lives the client is looked at.
  class Exchange {
   public:
    explicit Exchange(Departure& departure);
    ~Exchange();
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

   private:
    Departure& departure_;
  };

 private:
  friend class Departures;
  using Clock = std::chrono::steady_clock;

  void look(Clock::time_point now);

  Departures& all_;
  Connection& client_;
  std::chrono::milliseconds close_time_;
  boost::asio::cancellation_signal& session_;
  Means means_ = Means::Cancel;
  bool sent_away_ = false;
  bool is_new_ = true;  ///< the exchange began after the last look
  bool gone_ = false;
  Clock::time_point end_ = Clock::time_point::max();
};

}  // namespace podfence::proxy
