#include "proxy/task_group.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/dispatch.hpp>

namespace podfence::proxy {

namespace asio = boost::asio;

void TaskGroup::spawn(Task<void> task) {
  spawn([&](asio::cancellation_signal&) { return std::move(task); });
}

void TaskGroup::spawn(const std::function<Task<void>(asio::cancellation_signal&)>& begin) {
  const auto place = tasks_->emplace(tasks_->end());
  try {
    asio::co_spawn(executor_, begin(*place),
                   asio::bind_cancellation_slot(
                       place->slot(), [tasks = tasks_, place](const std::exception_ptr&) { tasks->erase(place); }));
  } catch (...) {
    tasks_->erase(place);
    throw;
  }
}

// From outside the executor Asio passes a signal on by a reference to what goes with the task, which may have ended
// before that is read (1.81: co_spawn_cancellation_handler).
void TaskGroup::cancel() {
  asio::dispatch(executor_, [group = std::weak_ptr(tasks_)] {
    const auto tasks = group.lock();
    if (!tasks) return;
    for (auto& task : *tasks) task.emit(asio::cancellation_type::terminal);
  });
}

}  // namespace podfence::proxy
