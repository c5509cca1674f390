#include "proxy/handed_sockets.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "proxy/log.hpp"
#include "proxy/service_manager.hpp"
#include "proxy/unix_socket.hpp"

namespace podfence::proxy {
namespace {

constexpr int first_descriptor = 3;  // SD_LISTEN_FDS_START

struct Handed {
  File file;
  std::string name;
  sockaddr_storage bound;
  /// A path, or address and port. The file of a socket of ours was born elsewhere (socket_file.cpp): its name tells.
  std::string address;
};

/// Descriptors and the environment are the process's; so is this.
std::vector<Handed>& all() {
  static std::vector<Handed> sockets;
  return sockets;
}

/// An environment variable, which nobody after us is to read.
std::string take_variable(const char* name) {
  const char* value = std::getenv(name);
  const std::string text = value == nullptr ? "" : value;
  unsetenv(name);
  return text;
}

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= list.size();) {
    const auto end = std::min(list.find(':', begin), list.size());
    names.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

/// All zero for the other end of what is not connected.
sockaddr_storage address_of(int descriptor, int (*which)(int, sockaddr*, socklen_t*)) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  which(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
  return address;
}

std::string text_of(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address.ss_family == AF_UNIX) return reinterpret_cast<const sockaddr_un&>(address).sun_path;
  if (address.ss_family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &four.sin_addr, text, sizeof text);
    return std::string(text) + ":" + std::to_string(ntohs(four.sin_port));
  }
  const auto& six = reinterpret_cast<const sockaddr_in6&>(address);
  inet_ntop(AF_INET6, &six.sin6_addr, text, sizeof text);
  return "[" + std::string(text) + "]:" + std::to_string(ntohs(six.sin6_port));
}

int option(int descriptor, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

Handed receive(int descriptor, const std::string& name) {
  Handed handed{File(descriptor), name, {}, {}};
  if (option(descriptor, SO_ACCEPTCONN) != 1 || option(descriptor, SO_TYPE) != SOCK_STREAM)
    throw std::runtime_error("the service manager handed over something that is no listening stream socket, '" + name +
                             "': podfence wants ListenStream= and Accept=no");
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  fcntl(descriptor, F_SETFL, O_NONBLOCK);
  handed.bound = address_of(descriptor, getsockname);
  handed.address = name.starts_with('/') ? name : text_of(handed.bound);
  return handed;
}

/// Whoever connects to the path comes to this socket. One connection of ours is accepted later, and ends at once.
bool leads_to(const Handed& handed) {
  if (handed.bound.ss_family != AF_UNIX) return true;
  if (handed.address.empty() || handed.address.size() >= sizeof(sockaddr_un::sun_path)) return false;
  const auto connected = connect_to(unix_address(handed.address), SOCK_NONBLOCK);
  if (connected.error != 0) return connected.error == EAGAIN;  // so many clients wait already
  return text_of(address_of(connected.socket.descriptor(), getpeername)) == text_of(handed.bound);
}

}  // namespace

void receive_sockets() {
  const auto process = take_variable("LISTEN_PID");
  const auto count = std::strtol(take_variable("LISTEN_FDS").c_str(), nullptr, 10);
  auto names = names_in(take_variable("LISTEN_FDNAMES"));
  if (process != std::to_string(getpid())) return;
  names.resize(static_cast<std::size_t>(std::max(count, 0L)), "unknown");
  for (int number = 0; number < static_cast<int>(names.size()); ++number)
    all().push_back(receive(first_descriptor + number, names[static_cast<std::size_t>(number)]));
}

bool is_handed(const std::string& address) {
  return std::ranges::any_of(all(),
                             [&](const Handed& handed) { return handed.address == address && leads_to(handed); });
}

File take_handed(const std::string& address) {
  const auto found =
      std::ranges::find_if(all(), [&](const Handed& handed) { return handed.address == address && leads_to(handed); });
  if (found == all().end()) return File();
  File file = std::move(found->file);
  all().erase(found);
  return file;
}

void close_untaken() {
  for (const auto& handed : all()) {
    const bool is_stored = handed.name.starts_with('/');
    log(handed.address + (is_stored ? " was kept over the restart, and is nobody's socket now; it is closed"
                                    : " was handed over by the service manager, and is no socket of the "
                                      "configuration; clients wait there in vain"));
    if (!is_stored) continue;
    if (leads_to(handed)) unlink(handed.address.c_str());
    shutdown(handed.file.descriptor(), SHUT_RDWR);  // the manager's copy too: nobody is to wait there
    forget_descriptors(handed.name);
  }
  all().clear();
}

}  // namespace podfence::proxy
