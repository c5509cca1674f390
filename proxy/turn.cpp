#include "proxy/turn.hpp"

#include <boost/asio/query.hpp>

namespace podfence::proxy {

namespace asio = boost::asio;

Turn& Turn::of(const asio::any_io_executor& executor) {
  return asio::use_service<Turn>(asio::query(executor, asio::execution::context));
}

}  // namespace podfence::proxy
