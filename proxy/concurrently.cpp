#include "proxy/concurrently.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/multiple_exceptions.hpp>
#include <exception>

namespace podfence::proxy {

using namespace boost::asio::experimental::awaitable_operators;

Task<std::size_t> first_of(Task<> first, Task<> second) {
  co_return (co_await (std::move(first) || std::move(second))).index();
}

Task<std::size_t> first_of(Task<> first, Task<> second, Task<> third) {
  co_return (co_await (std::move(first) || std::move(second) || std::move(third))).index();
}

Task<> both(Task<> first, Task<> second) {
  std::exception_ptr thrown;
  try {
    co_await (std::move(first) && std::move(second));
  } catch (const boost::asio::multiple_exceptions& wrapped) {
    thrown = wrapped.first_exception();
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace podfence::proxy
