#pragma once
// A time limit on what a session waits for from its client. One timer for all of a context, however many sessions there
// are and reads they make; moving a limit costs nothing but a comparison.

#include <boost/intrusive/list_hook.hpp>
#include <chrono>

#include "proxy/connection.hpp"

namespace podfence::proxy {

class Deadlines;

class Deadline : public boost::intrusive::list_base_hook<> {
 public:
  /// Interrupts that connection when the time is over.
  Deadline(const Executor& executor, Connection& connection);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  enum class Kind {
    Plain,
    Sending,  ///< begins anew whenever the peer takes something. That is looked at four times in the limit: it ends up
              ///< to a quarter late.
  };
  /// From now on; replaces the limit before. A connection that was interrupted may be used again.
  void set(std::chrono::milliseconds time, Kind kind = Kind::Plain);
  void clear() { active_ = false; }
  bool passed() const { return passed_; }

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
  friend class Deadlines;
  using Clock = std::chrono::steady_clock;

  void look(Clock::time_point now);
  bool goes_on(Clock::time_point now);

  Deadlines& all_;
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
