#include "proxy/name_locks.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace podfence::proxy {

bool LockedNames::covers(const LockedNames& other) const {
  return all || (!other.all && std::ranges::includes(names, other.names));
}

bool LockedNames::conflicts_with(const LockedNames& other) const {
  if (all || other.all) return true;
  return std::ranges::any_of(names, [&](const std::string& name) { return other.names.contains(name); });
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

Task<NameLocks::Hold> NameLocks::acquire(LockedNames names) {
  boost::asio::steady_timer event(executor_, std::chrono::steady_clock::time_point::max());
  Hold hold(*this, queue_.insert(queue_.end(), Request{std::move(names), std::move(event), false}));
  grant();
  auto& request = *hold.place_;
  // A cancelled session leaves by the exception of the second round, and the queue with it.
  while (!request.granted) co_await request.granted_event.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  co_return hold;
}

void NameLocks::grant() {
  for (auto request = queue_.begin(); request != queue_.end(); ++request) {
    if (request->granted) continue;
    request->granted = std::none_of(
        queue_.begin(), request, [&](const Request& earlier) { return earlier.names.conflicts_with(request->names); });
    if (request->granted) request->granted_event.cancel();
  }
}

}  // namespace podfence::proxy
