#include "proxy/name_locks.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>

namespace podfence::proxy {

bool LockedNames::covers(const LockedNames& other) const {
  const bool has_names = all || (!other.all && std::ranges::includes(names, other.names));
  const bool has_turn = other.project.empty() || (project == other.project && (alone || !other.alone));
  return has_names && has_turn;
}

/// What is not free any more for those behind in the queue.
class NameLocks::Taken {
 public:
  void take(const LockedNames& locked) {
    any_ |= locked.all || !locked.names.empty();
    all_ |= locked.all;
    keep_names(locked);
    if (!locked.project.empty()) (locked.alone ? closed_ : entered_).insert(locked.project);
  }
  /// What a request that waits keeps from those behind it: nobody queues behind one for all names.
  void keep_names(const LockedNames& locked) { names_.insert(locked.names.begin(), locked.names.end()); }
  void close(const std::string& project) { waited_for_.insert(project); }

  bool has_names(const LockedNames& locked) const {
    if (locked.all) return any_;
    if (all_ && !locked.names.empty()) return true;
    return std::ranges::any_of(locked.names, [&](const std::string& name) { return names_.contains(name); });
  }
  bool has_turn(const LockedNames& locked) const {
    return closed_.contains(locked.project) || (locked.alone && entered_.contains(locked.project));
  }
  bool is_waited_for(const std::string& project) const { return waited_for_.contains(project); }

 private:
  bool any_ = false, all_ = false;
  std::set<std::string_view> names_;
  std::set<std::string_view> entered_, closed_, waited_for_;  ///< projects
};

NameLocks::Hold& NameLocks::Hold::operator=(Hold&& other) noexcept {
  release();
  locks_ = std::exchange(other.locks_, nullptr);
  place_ = other.place_;
  return *this;
}

void NameLocks::Hold::release() {
  auto* locks = std::exchange(locks_, nullptr);
  if (!locks) return;
  const auto account = std::move(place_->names.account);
  locks->queue_.erase(place_);
  locks->forget(account);
  locks->grant();
}

void NameLocks::Hold::narrow(std::set<std::string> names) {
  if (!locks_ || !place_->names.all) return;
  place_->names.names = std::move(names);
  place_->names.all = false;
  locks_->grant();
}

void NameLocks::Hold::share() {
  if (!locks_ || !place_->names.alone) return;
  place_->names.alone = false;
  locks_->grant();
}

Task<std::optional<NameLocks::Hold>> NameLocks::acquire(LockedNames names, std::chrono::milliseconds time,
                                                        std::chrono::milliseconds turn_time) {
  const auto last = std::chrono::steady_clock::now() + turn_time;
  boost::asio::steady_timer event(executor_, time);
  Hold hold(*this, queue_.insert(queue_.end(), Request{std::move(names), std::move(event)}));
  grant();
  auto& request = *hold.place_;
  // A cancelled session leaves by the exception of the second round, and the queue with it.
  while (!request.granted) {
    const auto [error] = co_await request.granted_event.async_wait(boost::asio::as_tuple(as_task));
    if (error || request.granted) continue;
    if (!request.waits_for_turn || std::chrono::steady_clock::now() >= last) co_return std::nullopt;
    request.granted_event.expires_after(time);
  }
  co_return std::optional<Hold>(std::move(hold));
}

/// Who neither holds nor waits has waited for nothing.
void NameLocks::forget(const std::string& account) {
  const bool is_there =
      std::ranges::any_of(queue_, [&](const Request& request) { return request.names.account == account; });
  if (!is_there) last_grants_.erase(account);
}

/// Those who wait: the first of each project, beginning with the one whose last grant is the oldest, then the second of
/// each.
std::vector<NameLocks::Request*> NameLocks::in_turn() {
  struct Waiting {
    std::size_t of_project;
    std::uint64_t last_grant;
    Request* request;
  };
  std::vector<Waiting> waiting;
  std::map<std::string_view, std::size_t> counts;
  for (auto& request : queue_) {
    if (request.granted) continue;
    const auto last = last_grants_.find(request.names.account);
    waiting.push_back({counts[request.names.account]++, last == last_grants_.end() ? 0 : last->second, &request});
  }
  std::ranges::stable_sort(waiting, {},
                           [](const Waiting& each) { return std::pair(each.of_project, each.last_grant); });
  std::vector<Request*> requests;
  for (const auto& each : waiting) requests.push_back(each.request);
  return requests;
}

/// Granted are those for whom nothing is taken by anybody who holds it, nor kept by somebody before them. In one pass,
/// since clients decide how many there are.
void NameLocks::grant() {
  Taken taken;
  for (const auto& request : queue_)
    if (request.granted) taken.take(request.names);
  for (auto* const each : in_turn()) {
    auto& request = *each;
    const auto& wanted = request.names;
    const bool is_behind = taken.is_waited_for(wanted.project), waits_for_names = taken.has_names(wanted);
    request.waits_for_turn = is_behind || (!waits_for_names && taken.has_turn(wanted));
    if (request.waits_for_turn) taken.close(wanted.project);
    if (!is_behind && (waits_for_names || request.waits_for_turn)) taken.keep_names(wanted);
    if (waits_for_names || request.waits_for_turn) continue;
    taken.take(wanted);
    last_grants_[wanted.account] = ++grants_;
    request.granted = true;
    request.granted_event.cancel();
  }
}

}  // namespace podfence::proxy
