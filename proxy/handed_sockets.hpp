#pragma once
// Listening sockets that a service manager hands over at the start (sd_listen_fds(3)): those of socket units, and those
// that it kept for us over a restart, so that no client meets a missing socket. Which listener one is for follows from
// where it listens and from nothing else.

#include <string>

#include "proxy/private_file.hpp"

namespace podfence::proxy {

/// Looks at what was handed over; comes before anything is opened. Throws std::runtime_error with a sentence when
/// something of it is no listening socket.
void receive_sockets();

/// A socket that listens on `address`, a path or "127.0.0.1:7443", was handed over, and nobody has taken it yet. A path
/// must still lead to it.
bool is_handed(const std::string& address);
/// It is the caller's now. Descriptor -1: there is none.
File take_handed(const std::string& address);
/// What nobody has taken until the end of the start: closed, and told in the log.
void close_untaken();

}  // namespace podfence::proxy
