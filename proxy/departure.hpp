#pragma once
// What becomes of an exchange whose client goes away before the answer is complete. Run beside every session, since a
// silent stream would not notice.

#include <boost/asio/steady_timer.hpp>
#include <chrono>

#include "proxy/connection.hpp"

namespace podfence::proxy {

class Departure {
 public:
  enum class Means {
    Cancel,  ///< all that is waited for ends; upstream's connection is closed
    Finish,  ///< nothing yet: what upstream is doing has to be recorded or undone. The session looks when it is.
    Drain,   ///< a tunnel passes on what the client sent before, for as long as `close_time`
  };

  Departure(boost::asio::any_io_executor executor, Connection& client, std::chrono::milliseconds close_time)
      : executor_(std::move(executor)), client_(client), close_time_(close_time), sent_away_(executor_) {
    sent_away_.expires_at(std::chrono::steady_clock::time_point::max());
  }

  /// To be run beside the session; ends when the session has to be cancelled.
  Task<void> watch();
  void set(Means means) { means_ = means; }
  /// As if the client had gone.
  void send_away() { sent_away_.expires_at(std::chrono::steady_clock::time_point::min()); }

 private:
  bool is_sent_away() const { return sent_away_.expiry() == std::chrono::steady_clock::time_point::min(); }
  Task<void> until_sent_away();
  Task<void> wait(std::chrono::steady_clock::duration time);

  boost::asio::any_io_executor executor_;
  Connection& client_;
  std::chrono::milliseconds close_time_;
  boost::asio::steady_timer sent_away_;  ///< runs out when the client is
  Means means_ = Means::Cancel;
};

}  // namespace podfence::proxy
