#include "proxy/unix_socket.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace podfence::proxy {
namespace {

std::function<bool(const std::string&)> instead_of_us;

}  // namespace

sockaddr_un unix_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const int wrong = path.size() >= sizeof address.sun_path                 ? ENAMETOOLONG
                    : path.empty() || path.find('\0') != std::string::npos ? EINVAL
                                                                           : 0;
  if (wrong != 0) throw std::system_error(wrong, std::generic_category(), path);
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

Connected connect_to(const sockaddr_un& address, int flags) {
  File socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
  if (socket.descriptor() < 0) return {File(), errno};
  if (::connect(socket.descriptor(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return {File(), errno};
  return {std::move(socket), 0};
}

bool is_listening(const std::string& path) {
  if (instead_of_us) return instead_of_us(path);
  const int error = connect_to(unix_address(path), SOCK_NONBLOCK).error;
  return error == 0 || error == EAGAIN;  // a full backlog has somebody who listens
}

void ask_who_listens(std::function<bool(const std::string& path)> instead) { instead_of_us = std::move(instead); }

}  // namespace podfence::proxy
