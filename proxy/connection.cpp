#include "proxy/connection.hpp"

#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cstring>

namespace podfence::proxy {

namespace asio = boost::asio;

namespace {

constexpr auto as_value = asio::as_tuple(asio::use_awaitable);

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

Connection::Connection(Socket socket) : socket_(std::move(socket)) {}

Connection::Connection(const asio::any_io_executor& executor, std::string_view written)
    : socket_(executor), written_(written) {}

void Connection::consume(std::size_t size) {
  begin_ += size;
  if (begin_ == end_) begin_ = end_ = 0;
}

/// How much that was.
std::size_t Connection::take_written() {
  const auto piece = written_->substr(0, buffer_size - end_);
  std::memcpy(buffer_.get() + end_, piece.data(), piece.size());
  written_->remove_prefix(piece.size());
  return piece.size();
}

Task<bool> Connection::receive() {
  if (!buffer_) buffer_ = std::make_unique_for_overwrite<char[]>(buffer_size);
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (interrupted_ || end_ == buffer_size) co_return false;
  if (written_) {
    const auto taken = take_written();
    end_ += taken;
    co_return taken > 0;
  }
  const Wait wait(*this);
  const auto [error, size] =
      co_await socket_.async_read_some(asio::buffer(buffer_.get() + end_, buffer_size - end_), as_value);
  end_ += size;
  co_return !error;
}

Task<bool> Connection::send(std::string_view bytes) {
  const asio::const_buffer piece(bytes.data(), bytes.size());
  co_return co_await send(std::span(&piece, 1));
}

Task<bool> Connection::send(std::span<const asio::const_buffer> pieces) {
  if (interrupted_) co_return false;
  if (written_) co_return true;
  const Wait wait(*this);
  const auto [error, size] = co_await asio::async_write(socket_, pieces, as_value);
  co_return !error;
}

Task<void> Connection::until_readable() { co_await socket_.async_wait(Socket::wait_read, as_value); }

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

bool Connection::more_waits() const {
  return begin_ > 0 && end_ == buffer_size && poll_now(const_cast<Socket&>(socket_).native_handle(), POLLIN) != 0;
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

Connection::Peer Connection::peer() const {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (::getsockopt(const_cast<Socket&>(socket_).native_handle(), SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0)
    return {};
  return {credentials.uid, credentials.pid};
}

}  // namespace podfence::proxy
