#pragma once
// Coroutines that run by themselves, owned: they can be cancelled, and one can wait until all of them are gone.

#include <boost/asio/cancellation_signal.hpp>
#include <functional>
#include <list>
#include <memory>

#include "proxy/connection.hpp"

namespace podfence::proxy {

class TaskGroup {
 public:
  explicit TaskGroup(Executor executor) : executor_(std::move(executor)), tasks_(std::make_shared<Tasks>()) {}

  const Executor& executor() const { return executor_; }
  /// What it throws is lost. Throws itself where there is no memory for the task, which is then none of the group.
  void spawn(Task<void> task);
  /// The same for one that is told by what it can be cancelled alone; that lives as long as the task.
  void spawn(const std::function<Task<void>(boost::asio::cancellation_signal&)>& begin);
  /// Those that are there when the executor comes to it: at once, within it.
  void cancel();
  bool empty() const { return tasks_->empty(); }
  std::size_t size() const { return tasks_->size(); }

 private:
  using Tasks = std::list<boost::asio::cancellation_signal>;

  Executor executor_;
  std::shared_ptr<Tasks> tasks_;
};

}  // namespace podfence::proxy
