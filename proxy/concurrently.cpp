#include "proxy/concurrently.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/multiple_exceptions.hpp>
#include <exception>

namespace podfence::proxy {

using boost::asio::awaitable;
using namespace boost::asio::experimental::awaitable_operators;

awaitable<std::size_t> first_of(awaitable<void> first, awaitable<void> second) {
  co_return (co_await (std::move(first) || std::move(second))).index();
}

awaitable<std::size_t> first_of(awaitable<void> first, awaitable<void> second, awaitable<void> third) {
  co_return (co_await (std::move(first) || std::move(second) || std::move(third))).index();
}

awaitable<void> both(awaitable<void> first, awaitable<void> second) {
  std::exception_ptr thrown;
  try {
    co_await (std::move(first) && std::move(second));
  } catch (const boost::asio::multiple_exceptions& wrapped) {
    thrown = wrapped.first_exception();
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace podfence::proxy
