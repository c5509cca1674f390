#include "proxy/concurrently.hpp"

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <exception>
#include <initializer_list>

namespace podfence::proxy {

namespace asio = boost::asio;

namespace {

std::size_t outcome(std::size_t index, std::initializer_list<std::exception_ptr> thrown) {
  if (const auto exception = thrown.begin()[index]) std::rethrow_exception(exception);
  return index;
}

auto begun(const Executor& executor, Task<> task) { return asio::co_spawn(executor, std::move(task), asio::deferred); }

}  // namespace

// Asio's operators would wait for one that succeeds, and do not tell which exception was the first.

Task<std::size_t> first_of(Task<> first, Task<> second) {
  const Executor executor = co_await asio::this_coro::executor;
  auto group =
      asio::experimental::make_parallel_group(begun(executor, std::move(first)), begun(executor, std::move(second)));
  const auto [order, one, other] = co_await group.async_wait(asio::experimental::wait_for_one(), asio::deferred);
  co_return outcome(order[0], {one, other});
}

Task<std::size_t> first_of(Task<> first, Task<> second, Task<> third) {
  const Executor executor = co_await asio::this_coro::executor;
  auto group = asio::experimental::make_parallel_group(
      begun(executor, std::move(first)), begun(executor, std::move(second)), begun(executor, std::move(third)));
  const auto [order, one, two, three] = co_await group.async_wait(asio::experimental::wait_for_one(), asio::deferred);
  co_return outcome(order[0], {one, two, three});
}

Task<> both(Task<> first, Task<> second) {
  const Executor executor = co_await asio::this_coro::executor;
  auto group =
      asio::experimental::make_parallel_group(begun(executor, std::move(first)), begun(executor, std::move(second)));
  const auto [order, one, other] = co_await group.async_wait(asio::experimental::wait_for_one_error(), asio::deferred);
  const std::array thrown{one, other};
  // In their order in time: the other was then cancelled, and threw that.
  for (const auto index : order)
    if (thrown[index]) std::rethrow_exception(thrown[index]);
}

}  // namespace podfence::proxy
