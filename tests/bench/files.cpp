#include "tests/bench/files.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace podfence::bench {

void die(const std::string& what) {
  std::fprintf(stderr, "%s: %s\n", what.c_str(), std::strerror(errno));
  std::exit(1);
}

namespace {

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) die(path + " is too long for a socket");
  path.copy(address.sun_path, path.size());
  return address;
}

int new_socket() {
  const int file = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0) die("socket");
  return file;
}

}  // namespace

int listen_at(const std::string& path) {
  const int file = new_socket();
  const auto address = address_of(path);
  ::unlink(path.c_str());
  if (::bind(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || ::listen(file, 4096) != 0)
    die(path);
  set_non_blocking(file);
  return file;
}

int connect_to(const std::string& path) {
  const int file = new_socket();
  const auto address = address_of(path);
  if (::connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) die(path);
  set_non_blocking(file);
  return file;
}

void set_non_blocking(int file) {
  if (::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) | O_NONBLOCK) != 0) die("fcntl");
}

void allow_many_files() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

Poll::Poll() : poll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (poll_ < 0) die("epoll");
}

void Poll::add(int file, std::uint32_t events, void* data) {
  epoll_event event{events, {.ptr = data}};
  if (::epoll_ctl(poll_, EPOLL_CTL_ADD, file, &event) != 0) die("epoll");
}

void Poll::change(int file, std::uint32_t events, void* data) {
  epoll_event event{events, {.ptr = data}};
  if (::epoll_ctl(poll_, EPOLL_CTL_MOD, file, &event) != 0) die("epoll");
}

void Poll::remove(int file) { ::epoll_ctl(poll_, EPOLL_CTL_DEL, file, nullptr); }

int Poll::wait(epoll_event* events, int most, int milliseconds) {
  const int count = ::epoll_wait(poll_, events, most, milliseconds);
  return count < 0 && errno == EINTR ? 0 : count;
}

}  // namespace podfence::bench
