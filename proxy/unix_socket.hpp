#pragma once
// Unix sockets by their paths (unix(7)).

#include <sys/un.h>

#include <functional>
#include <string>

#include "proxy/private_file.hpp"

namespace podfence::proxy {

/// Throws std::system_error that names the path when it is too long for a socket, or has a NUL in it.
sockaddr_un unix_address(const std::string& path);

/// A connection, or the error number.
struct Connected {
  File socket;
  int error = 0;
};
/// Never waits: connecting a unix socket takes no time, and a full backlog is EAGAIN. `flags`: SOCK_NONBLOCK or 0.
Connected connect_to(const sockaddr_un& address, int flags);

/// Does anybody listen there?
bool is_listening(const std::string& path);
/// Who answers that in a process that may not connect (confinement.hpp).
void ask_who_listens(std::function<bool(const std::string& path)> instead);

}  // namespace podfence::proxy
