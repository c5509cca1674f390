#pragma once
// Names that are decided about and then used in a later request must not change hands in between. First come, first
// served; all names of a request are taken at once, and who needs more gives up what it has first: nobody can wait for
// somebody who waits for him.
//
// Nobody may starve everybody else. A lock cannot be taken from its holder, whose decision would no longer hold; so
// holders work at upstream's pace only, never at a client's, and waiting has an end. Who wants every name conflicts
// with everybody: nobody queues behind such a request while it waits, it gets its turn when no name is held.

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "proxy/connection.hpp"

namespace podfence::proxy {

struct LockedNames {
  std::set<std::string> names;
  bool all = false;  ///< every name, also those that nobody has thought of yet

  bool empty() const { return names.empty() && !all; }
  bool covers(const LockedNames& other) const;
};

class NameLocks {
  struct Request;
  using Queue = std::list<Request>;

 public:
  /// Holds nothing, or the names; gives them back when it goes.
  class Hold {
   public:
    Hold() = default;
    Hold(Hold&& other) noexcept : locks_(std::exchange(other.locks_, nullptr)), place_(other.place_) {}
    Hold& operator=(Hold&& other) noexcept;
    ~Hold() { release(); }
    void release();
    /// Who has found out which of all names it needs keeps only those.
    void narrow(std::set<std::string> names);

   private:
    friend NameLocks;
    Hold(NameLocks& locks, Queue::iterator place) : locks_(&locks), place_(place) {}
    NameLocks* locks_ = nullptr;
    Queue::iterator place_;
  };

  explicit NameLocks(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}
  /// Nothing when the names have not become free in that time.
  Task<std::optional<Hold>> acquire(LockedNames names, std::chrono::milliseconds time);

 private:
  struct Request {
    LockedNames names;
    boost::asio::steady_timer granted_event;  ///< runs out when it has been waited for long enough
    bool granted = false;
  };

  void grant();

  boost::asio::any_io_executor executor_;
  Queue queue_;  ///< in order of arrival
};

}  // namespace podfence::proxy
