#include "tests/support/socket.hpp"

#include <linux/sockios.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace podfence::testing {
namespace {

int stream_socket() {
  const int file = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0) throw std::system_error(errno, std::generic_category(), "socket");
  return file;
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw std::length_error("socket path too long: " + path);
  std::copy(path.begin(), path.end(), address.sun_path);
  return address;
}

void check(int result, const std::string& what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

Socket Socket::listen(const std::string& path) {
  Socket socket(stream_socket());
  const auto address = address_of(path);
  check(::bind(socket.file_, reinterpret_cast<const sockaddr*>(&address), sizeof address), "bind " + path);
  check(::listen(socket.file_, 64), "listen " + path);
  return socket;
}

Socket Socket::connect(const std::string& path) {
  Socket socket(stream_socket());
  const auto address = address_of(path);
  check(::connect(socket.file_, reinterpret_cast<const sockaddr*>(&address), sizeof address), "connect " + path);
  return socket;
}

void Socket::close() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

void Socket::shutdown_write() { ::shutdown(file_, SHUT_WR); }

void Socket::shutdown_both() { ::shutdown(file_, SHUT_RDWR); }

bool Socket::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(file_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::optional<std::string> Socket::receive(Milliseconds timeout) { return receive(timeout, 0); }

std::optional<std::string> Socket::peek(Milliseconds timeout) { return receive(timeout, MSG_PEEK); }

void Socket::skip(std::size_t size) {
  std::string bytes(size, ' ');
  static_cast<void>(::recv(file_, bytes.data(), size, MSG_DONTWAIT));
}

std::optional<std::string> Socket::receive(Milliseconds timeout, int flags) {
  pollfd waiting{file_, POLLIN, 0};
  if (::poll(&waiting, 1, static_cast<int>(timeout.count())) <= 0) return std::nullopt;
  std::array<char, 65536> piece;
  const auto size = ::recv(file_, piece.data(), piece.size(), flags);
  return size <= 0 ? std::string() : std::string(piece.data(), static_cast<std::size_t>(size));
}

void Socket::wait_taken(Milliseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  for (int waiting = 1; std::chrono::steady_clock::now() < end;) {
    if (::ioctl(file_, SIOCOUTQ, &waiting) < 0 || waiting == 0) return;
    ::sched_yield();
  }
}

}  // namespace podfence::testing
