// Coroutines that run by themselves are counted until they end, and not at all when they cannot begin.
#include "proxy/task_group.hpp"

#include <doctest/doctest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <new>

using namespace podfence::proxy;

namespace asio = boost::asio;

namespace {

Task<void> step(Executor executor) { co_await asio::post(executor, as_task); }

/// There is no memory for its frame.
Task<void> unborn() { throw std::bad_alloc(); }

}  // namespace

TEST_CASE("a task that cannot begin is none of its group") {
  asio::io_context context;
  TaskGroup group(context.get_executor());
  group.spawn(step(context.get_executor()));
  CHECK_THROWS_AS(group.spawn([](asio::cancellation_signal&) { return unborn(); }), std::bad_alloc);
  CHECK(group.size() == 1);
  group.cancel();
  context.run();
  CHECK(group.empty());
}
