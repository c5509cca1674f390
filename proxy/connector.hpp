#pragma once
// The one who connects. podfence is confined when it serves (confinement.hpp) and calls nobody: a small process that it
// has forked before does, to upstream's socket and no other. So what takes podfence over reaches what podfence reaches.

#include <sys/types.h>

#include <string>

#include "proxy/unix_socket.hpp"

namespace podfence::proxy {

class Connector {
 public:
  /// Forks: nothing secret should be in memory yet, and no thread run. `upstream`: path of a unix socket. Throws
  /// std::system_error. `confined`: it gives up every system call that it has no use for.
  explicit Connector(const std::string& upstream, bool confined = true);
  /// The process ends.
  ~Connector();
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;

  /// A new connection to upstream, non-blocking.
  Connected connect();
  /// Does anybody listen there? Yes or no is all that comes back. Throws like unix_address().
  bool is_listening(const std::string& path);

  pid_t id() const { return id_; }
  /// Becomes readable when the process has ended: nothing can be connected any more.
  int ended() const { return end_.descriptor(); }

 private:
  Connected ask(const std::string& path);

  File channel_;
  File end_;
  pid_t id_ = -1;
};

}  // namespace podfence::proxy
