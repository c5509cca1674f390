#pragma once
// Names that are decided about and then used in a later request must not change hands in between. First come, first
// served; all names of a request are taken at once, and who needs more gives up what it has first: nobody can wait for
// somebody who waits for him.

#include <boost/asio/steady_timer.hpp>
#include <list>
#include <set>
#include <string>
#include <utility>

#include "proxy/connection.hpp"

namespace podfence::proxy {

struct LockedNames {
  std::set<std::string> names;
  bool all = false;  ///< every name, also those that nobody has thought of yet

  bool empty() const { return names.empty() && !all; }
  bool covers(const LockedNames& other) const;
  bool conflicts_with(const LockedNames& other) const;
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

   private:
    friend NameLocks;
    Hold(NameLocks& locks, Queue::iterator place) : locks_(&locks), place_(place) {}
    NameLocks* locks_ = nullptr;
    Queue::iterator place_;
  };

  explicit NameLocks(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}
  Task<Hold> acquire(LockedNames names);

 private:
  struct Request {
    LockedNames names;
    boost::asio::steady_timer granted_event;
    bool granted = false;
  };

  void grant();

  boost::asio::any_io_executor executor_;
  Queue queue_;  ///< in order of arrival; a request is granted when it conflicts with none before it
};

}  // namespace podfence::proxy
