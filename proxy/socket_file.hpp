#pragma once
// The file of a listening unix socket: complete, with its mode, from the first moment it can be seen, and gone with its
// owner.

#include <sys/types.h>

#include <string>

#include "proxy/private_file.hpp"

namespace podfence::proxy {

class SocketFile {
 public:
  /// Listens on `path`; a file there that nobody listens on is replaced. The directory is made with
  /// mode 0700 if it is absent. Throws std::system_error that names the path.
  explicit SocketFile(std::string path, mode_t mode = 0660);
  /// The file is removed, unless it is another's by now.
  ~SocketFile();
  SocketFile(const SocketFile&) = delete;
  SocketFile& operator=(const SocketFile&) = delete;

  /// The listening socket, once.
  int release() { return socket_.release(); }

 private:
  std::string path_;
  File socket_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace podfence::proxy
