#include "proxy/task_group.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>

namespace podfence::proxy {

namespace asio = boost::asio;

void TaskGroup::spawn(Task<void> task) {
  spawn([&](asio::cancellation_signal&) { return std::move(task); });
}

void TaskGroup::spawn(const std::function<Task<void>(asio::cancellation_signal&)>& begin) {
  const auto place = tasks_.emplace(tasks_.end());
  asio::co_spawn(
      executor_, begin(*place),
      asio::bind_cancellation_slot(place->slot(), [this, place](const std::exception_ptr&) { tasks_.erase(place); }));
}

void TaskGroup::cancel() {
  for (auto& task : tasks_) task.emit(asio::cancellation_type::terminal);
}

}  // namespace podfence::proxy
