#include "proxy/name_locks.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace podfence::proxy {

bool LockedNames::covers(const LockedNames& other) const {
  return all || (!other.all && std::ranges::includes(names, other.names));
}

NameLocks::Hold& NameLocks::Hold::operator=(Hold&& other) noexcept {
  release();
  locks_ = std::exchange(other.locks_, nullptr);
  place_ = other.place_;
  return *this;
}

void NameLocks::Hold::release() {
  auto* locks = std::exchange(locks_, nullptr);
  if (!locks) return;
  locks->queue_.erase(place_);
  locks->grant();
}

void NameLocks::Hold::narrow(std::set<std::string> names) {
  if (!locks_ || !place_->names.all) return;
  place_->names = {std::move(names), false};
  locks_->grant();
}

Task<std::optional<NameLocks::Hold>> NameLocks::acquire(LockedNames names, std::chrono::milliseconds time) {
  boost::asio::steady_timer event(executor_, time);
  Hold hold(*this, queue_.insert(queue_.end(), Request{std::move(names), std::move(event), false}));
  grant();
  auto& request = *hold.place_;
  // A cancelled session leaves by the exception of the second round, and the queue with it.
  while (!request.granted) {
    const auto [error] = co_await request.granted_event.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    if (!error && !request.granted) co_return std::nullopt;
  }
  co_return std::optional<Hold>(std::move(hold));
}

/// Granted are: a request for names that nobody holds and nobody before it waits for, and one for all names when nobody
/// holds any. In one pass, since clients decide how many names there are.
void NameLocks::grant() {
  bool held = false;
  std::set<std::string_view> taken;
  for (const auto& request : queue_) {
    if (!request.granted) continue;
    if (request.names.all) return;
    held = true;
    taken.insert(request.names.names.begin(), request.names.names.end());
  }
  for (auto& request : queue_) {
    if (request.granted) continue;
    const auto& names = request.names.names;
    const auto is_taken = [&](const std::string& name) { return taken.contains(name); };
    request.granted = request.names.all ? !held : std::ranges::none_of(names, is_taken);
    if (request.granted) request.granted_event.cancel();
    if (request.names.all && request.granted) return;
    if (!request.names.all) taken.insert(names.begin(), names.end());
    held |= request.granted;
  }
}

}  // namespace podfence::proxy
