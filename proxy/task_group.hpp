#pragma once
// Coroutines that run by themselves, owned: they can be cancelled, and one can wait until all of them are gone.

#include <boost/asio/cancellation_signal.hpp>
#include <functional>
#include <list>

#include "proxy/connection.hpp"

namespace podfence::proxy {

class TaskGroup {
 public:
  explicit TaskGroup(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

  const boost::asio::any_io_executor& executor() const { return executor_; }
  /// What it throws is lost.
  void spawn(Task<void> task);
  /// The same for one that is told by what it can be cancelled alone; that lives as long as the task.
  void spawn(const std::function<Task<void>(boost::asio::cancellation_signal&)>& begin);
  void cancel();
  bool empty() const { return tasks_.empty(); }
  std::size_t size() const { return tasks_.size(); }

 private:
  boost::asio::any_io_executor executor_;
  std::list<boost::asio::cancellation_signal> tasks_;
};

}  // namespace podfence::proxy
