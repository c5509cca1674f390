#pragma once
// The file of a listening unix socket: complete, with its mode, from the first moment it can be seen, and gone with its
// owner, unless a service manager keeps the socket: then it outlives a restart.

#include <sys/types.h>

#include <string>

#include "proxy/private_file.hpp"

namespace podfence::proxy {

class SocketFile {
 public:
  /// Listens on `path`, with the socket that was handed over for it if there is one (handed_sockets.hpp), else with one
  /// of its own: a file there that nobody listens on is replaced, and the directory is made with mode 0700 if it is
  /// absent. Throws std::system_error that names the path; of what was made for it nothing is left then.
  explicit SocketFile(std::string path, mode_t mode = 0660);
  /// The file is removed, unless it is another's by now, or the socket is kept.
  ~SocketFile();
  SocketFile(const SocketFile&) = delete;
  SocketFile& operator=(const SocketFile&) = delete;

  /// The listening socket, once.
  int release() { return socket_.release(); }
  /// The socket, as `listening`, is nobody's any more, whoever else keeps it. A directory that was made for it goes
  /// too, unless something else is in it.
  void discard(int listening);

 private:
  void make(mode_t mode);
  void listen(const std::string& directory, mode_t mode);

  std::string path_;
  File socket_;
  bool kept_ = false;  ///< by a service manager
  bool made_directory_ = false;
  bool discarded_ = false;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace podfence::proxy
