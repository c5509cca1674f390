#pragma once
// Names that are decided about and then used in a later request must not change hands in between. Within a project it
// is first come, first served; of several projects that wait, the one comes first that got nothing for the longest
// time: however many requests one sends, another waits for one of them. All names of a request are taken at once, and
// who needs more gives up what it has first: nobody can wait for somebody who waits for him.
//
// Besides names there is the project's turn. Those who add to what a project has go together; who counts what it has is
// alone among them, so that the number still holds when it decides. Nobody else waits for that: who has to wait for
// names does not keep its project's others from going on, and of those who wait for their project's turn only the first
// keeps its names from others.
//
// Nobody may starve everybody else. A lock cannot be taken from its holder, whose decision would no longer hold; so
// holders work at upstream's pace only, never at a client's, and waiting has an end. Who wants every name conflicts
// with everybody: nobody queues behind such a request while it waits, it gets its turn when no name is held.

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/connection.hpp"

namespace podfence::proxy {

struct LockedNames {
  std::set<std::string> names;
  bool all = false;          ///< every name, also those that nobody has thought of yet
  std::string project = {};  ///< whose turn is taken, "" for nobody's
  bool alone = false;        ///< nobody else of the project meanwhile
  std::string account = {};  ///< the project that asks, "" for podfence itself

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
    /// Who was alone is so no longer.
    void share();

   private:
    friend NameLocks;
    Hold(NameLocks& locks, Queue::iterator place) : locks_(&locks), place_(place) {}
    NameLocks* locks_ = nullptr;
    Queue::iterator place_;
  };

  explicit NameLocks(Executor executor) : executor_(std::move(executor)) {}
  /// Nothing when the names have not become free in `time`, nor the project's turn in `turn_time`.
  Task<std::optional<Hold>> acquire(LockedNames names, std::chrono::milliseconds time,
                                    std::chrono::milliseconds turn_time = {});

 private:
  struct Request {
    LockedNames names;
    boost::asio::steady_timer granted_event;  ///< runs out when it has been waited for long enough
    bool granted = false;
    bool waits_for_turn = false;
  };
  class Taken;

  void grant();
  std::vector<Request*> in_turn();
  void forget(const std::string& account);

  Executor executor_;
  Queue queue_;  ///< in order of arrival
  std::uint64_t grants_ = 0;
  std::map<std::string, std::uint64_t> last_grants_;  ///< of those who hold or wait
};

}  // namespace podfence::proxy
