#pragma once
// Two or three things at the same time, as children of the one that awaits them: nothing outlives the call. What is
// handed in must not throw: an exception would be lost in one and would arrive wrapped in the other. Compiled once,
// because every use of Asio's operators costs the compiler seconds.

#include <boost/asio/awaitable.hpp>

namespace podfence::proxy {

/// Ends with the first; the others are cancelled and have ended too when this returns. Gives the first one's index.
boost::asio::awaitable<std::size_t> first_of(boost::asio::awaitable<void> first, boost::asio::awaitable<void> second);
boost::asio::awaitable<std::size_t> first_of(boost::asio::awaitable<void> first, boost::asio::awaitable<void> second,
                                             boost::asio::awaitable<void> third);

/// Ends with the last.
boost::asio::awaitable<void> both(boost::asio::awaitable<void> first, boost::asio::awaitable<void> second);

}  // namespace podfence::proxy
