#include "proxy/concurrently.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/multiple_exceptions.hpp>
#include <boost/asio/this_coro.hpp>
#include <exception>
#include <initializer_list>

namespace podfence::proxy {

namespace asio = boost::asio;
using namespace asio::experimental::awaitable_operators;

namespace {

std::size_t outcome(std::size_t index, std::initializer_list<std::exception_ptr> thrown) {
  if (const auto exception = thrown.begin()[index]) std::rethrow_exception(exception);
  return index;
}

auto begun(const Executor& executor, Task<> task) { return asio::co_spawn(executor, std::move(task), asio::deferred); }

}  // namespace

// Asio's operator || would wait for one that succeeds.

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
  std::exception_ptr thrown;
  try {
    co_await (std::move(first) && std::move(second));
  } catch (const asio::multiple_exceptions& wrapped) {
    thrown = wrapped.first_exception();
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace podfence::proxy
