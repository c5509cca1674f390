#pragma once
// One message to a unix socket that may hand over a descriptor (unix(7), SCM_RIGHTS).

#include <sys/socket.h>
#include <sys/un.h>

#include <string_view>

namespace podfence::proxy {

/// With `descriptor` unless it is -1; to the address unless the socket is connected. Nobody is told when it cannot be
/// sent.
void send_message(int socket, std::string_view bytes, int descriptor, const sockaddr_un* address = nullptr,
                  socklen_t address_size = 0);

}  // namespace podfence::proxy
