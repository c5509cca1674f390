#pragma once
// Coroutines and sockets. They name the only kind of executor that there is here: Asio's default stands for any kind,
// and every step of every coroutine would pay for that.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace podfence::proxy {

using Executor = boost::asio::io_context::executor_type;

template <class T = void>
using Task = boost::asio::awaitable<T, Executor>;

/// In the place of Asio's use_awaitable.
inline constexpr boost::asio::use_awaitable_t<Executor> as_task;

template <class Protocol>
using SocketOf = boost::asio::basic_stream_socket<Protocol, Executor>;

template <class Protocol>
using AcceptorOf = boost::asio::basic_socket_acceptor<Protocol, Executor>;

}  // namespace podfence::proxy
