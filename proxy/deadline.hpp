#pragma once
// A time limit on what a session waits for from its client. One timer and one watching coroutine for each session,
// however many reads it makes; moving the limit costs nothing but a comparison.

#include <boost/asio/steady_timer.hpp>
#include <chrono>

#include "proxy/connection.hpp"

namespace podfence::proxy {

class Deadline {
 public:
  /// Interrupts that connection when the time is over.
  Deadline(const boost::asio::any_io_executor& executor, Connection& connection);

  enum class Kind {
    Plain,
    Sending,  ///< begins anew whenever the peer takes something. That is looked at four times in the limit: it ends up
              ///< to a quarter late.
  };
  /// From now on; replaces the limit before. A connection that was interrupted may be used again.
  void set(std::chrono::milliseconds time, Kind kind = Kind::Plain);
  void clear() { active_ = false; }
  bool passed() const { return passed_; }

  /// To be run beside what is limited. Never ends by itself.
  Task<void> watch();

  /// For as long as it lives.
  class Scope {
   public:
    Scope(Deadline& deadline, std::chrono::milliseconds time, Kind kind = Kind::Plain) : deadline_(deadline) {
      deadline.set(time, kind);
    }
    ~Scope() { deadline_.clear(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Deadline& deadline_;
  };

 private:
  using Clock = std::chrono::steady_clock;

  bool goes_on();

  boost::asio::steady_timer timer_;
  Connection& connection_;
  Clock::time_point end_ = Clock::time_point::max();
  std::chrono::milliseconds time_{};
  bool sending_ = false;
  Clock::time_point taken_at_;  ///< when that was noticed
  std::size_t untaken_ = 0;     ///< when last looked at
  bool active_ = false;
  bool passed_ = false;
};

}  // namespace podfence::proxy
