#include "proxy/concurrently.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

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
  co_await (std::move(first) && std::move(second));
}

}  // namespace podfence::proxy
