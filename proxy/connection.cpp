#include "proxy/connection.hpp"

#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <cstring>
#include <tuple>
#include <utility>

namespace podfence::proxy {

namespace asio = boost::asio;

namespace {

constexpr auto as_value = asio::as_tuple(as_task);

/// What is asked for; the kernel doubles it. As much as one may ask for on most machines (net.core.wmem_max).
constexpr int stream_send_buffer = 208 * 1024;

short poll_now(int file, short events) {
  pollfd entry{file, events, 0};
  return ::poll(&entry, 1, 0) > 0 ? entry.revents : short{0};
}

}  // namespace

class Connection::Wait {
 public:
  explicit Wait(const Connection& connection) : connection_(connection) {}
  ~Wait() {
    if (connection_.waits_) *connection_.waits_ += Clock::now() - begin_;
  }
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  const Connection& connection_;
  Clock::time_point begin_ = Clock::now();
};

Connection::Connection(Socket socket) : socket_(std::move(socket)), turn_(Turn::of(socket_.get_executor())) {}

Connection::Connection(const Executor& executor, std::string_view written)
    : socket_(executor), turn_(Turn::of(executor)), written_(written) {}

void Connection::consume(std::size_t size) {
  begin_ += size;
  if (begin_ == end_) begin_ = end_ = 0;
}

/// How much that was.
std::size_t Connection::take_written() {
  const auto piece = written_->substr(0, capacity_ - end_);
  std::memcpy(buffer_.get() + end_, piece.data(), piece.size());
  written_->remove_prefix(piece.size());
  return piece.size();
}

void Connection::shrink() {
  if (capacity_ <= first_buffer_size || begin_ != end_) return;
  buffer_.reset();
  capacity_ = begin_ = end_ = 0;
  filled_ = false;
}

void Connection::shrink_when_little_comes() {
  if (last_read_ <= first_buffer_size) shrink();
}

/// What is in it stays.
void Connection::grow(std::size_t capacity) {
  auto larger = std::make_unique_for_overwrite<char[]>(capacity);
  std::copy_n(buffer_.get() + begin_, end_ - begin_, larger.get());
  end_ -= begin_;
  begin_ = 0;
  buffer_ = std::move(larger);
  capacity_ = capacity;
}

/// A larger buffer where the one before was filled: fewer reads and writes for whole archives. One that is full of what
/// is not consumed grows up to the usual size only.
void Connection::make_room() {
  const bool empty = begin_ == end_;
  if (capacity_ == 0) {
    grow(first_buffer_size);
  } else if (filled_ && capacity_ == first_buffer_size) {
    grow(buffer_size);
  } else if (filled_ && empty && capacity_ == buffer_size) {
    grow(stream_buffer_size);
  }
  filled_ = false;
  if (begin_ == 0) return;
  std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
}

Task<bool> Connection::receive() {
  make_room();
  if (interrupted_ || end_ == capacity_) co_return false;
  if (written_) {
    const auto taken = take_written();
    end_ += taken;
    filled_ = end_ == capacity_;
    co_return taken > 0;
  }
  const Wait wait(*this);
  const auto [error, size] =
      co_await socket_.async_read_some(asio::buffer(buffer_.get() + end_, capacity_ - end_), as_value);
  end_ += size;
  last_read_ = size;
  filled_ = end_ == capacity_;
  co_return !error;
}

Task<bool> Connection::send(std::string_view bytes) {
  const asio::const_buffer piece(bytes.data(), bytes.size());
  return send(Pieces{piece});
}

/// How much the kernel takes without a wait.
std::size_t Connection::send_now(const Pieces& pieces, boost::system::error_code& error) {
  std::array<iovec, max_pieces> parts{};
  msghdr message{};
  message.msg_iov = parts.data();
  for (const auto& piece : pieces)
    if (piece.size() != 0) parts[message.msg_iovlen++] = {const_cast<void*>(piece.data()), piece.size()};
  const auto sent = ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0) return static_cast<std::size_t>(sent);
  if (errno != EAGAIN && errno != EINTR) error.assign(errno, boost::system::system_category());
  return 0;
}

Task<bool> Connection::send(Pieces pieces) {
  if (interrupted_) co_return false;
  if (written_) co_return true;
  const Wait wait(*this);
  const auto size = asio::buffer_size(pieces);
  if (size < buffer_size) {
    if (turn_.is_shared()) co_await asio::post(socket_.get_executor(), as_task);
    if (interrupted_) co_return false;
  } else if (!std::exchange(streaming_, true)) {
    ::setsockopt(socket_.native_handle(), SOL_SOCKET, SO_SNDBUF, &stream_send_buffer, sizeof stream_send_buffer);
  }
  boost::system::error_code error;
  auto sent = send_now(pieces, error);
  if (error || sent == size) co_return !error;
  for (auto& piece : pieces) {
    const auto done = std::min(sent, piece.size());
    piece += done;
    sent -= done;
  }
  std::tie(error, sent) = co_await asio::async_write(socket_, pieces, as_value);
  co_return !error;
}

Task<void> Connection::until_readable() {
  // What Asio tells can be about a connection that is gone, whose place in its reactor this one has got.
  while (!interrupted_ && is_quiet()) {
    const auto [error] = co_await socket_.async_wait(Socket::wait_read, as_value);
    if (error) co_return;
  }
}

Task<void> Connection::until_peer_closed() {
  // A hang-up ends the wait for an exceptional condition, but so may other things.
  while (!interrupted_ && !peer_closed()) {
    co_await socket_.async_wait(Socket::wait_error, as_value);
  }
}

bool Connection::peer_closed() const {
  return (poll_now(const_cast<Socket&>(socket_).native_handle(), 0) & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

bool Connection::is_quiet() const {
  return poll_now(const_cast<Socket&>(socket_).native_handle(), POLLIN | POLLRDHUP) == 0;
}

std::size_t Connection::unread_by_peer() const {
  int bytes = 0;
  if (::ioctl(const_cast<Socket&>(socket_).native_handle(), SIOCOUTQ, &bytes) != 0) return 0;
  return static_cast<std::size_t>(bytes);
}

void Connection::interrupt() {
  interrupted_ = true;
  boost::system::error_code ignored;
  socket_.cancel(ignored);
}

void Connection::finish_sending() {
  boost::system::error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
}

void Connection::cut() {
  finish_sending();
  interrupt();
}

Connection::Peer Connection::peer() const {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (::getsockopt(const_cast<Socket&>(socket_).native_handle(), SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0)
    return {};
  return {credentials.uid, credentials.pid};
}

}  // namespace podfence::proxy
