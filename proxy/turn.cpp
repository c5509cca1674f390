#include "proxy/turn.hpp"

namespace podfence::proxy {

Turn& Turn::of(const Executor& executor) { return boost::asio::use_service<Turn>(executor.context()); }

}  // namespace podfence::proxy
