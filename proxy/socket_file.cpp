#include "proxy/socket_file.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "proxy/handed_sockets.hpp"
#include "proxy/service_manager.hpp"
#include "proxy/unix_socket.hpp"

namespace podfence::proxy {

namespace {

[[noreturn]] void fail(int error, const std::string& path) {
  throw std::system_error(error, std::generic_category(), "cannot listen on " + path);
}

/// Clients send none. One that sent its own end of the connection would keep that alive behind its own end: podfence
/// reads nothing of a client that it answers, and could not see it go. Linux 6.16; older ones do not know how.
void refuse_descriptors(const File& socket) {
#ifndef SO_PASSRIGHTS
  constexpr int SO_PASSRIGHTS = 83;
#endif
  constexpr int no = 0;
  ::setsockopt(socket.descriptor(), SOL_SOCKET, SO_PASSRIGHTS, &no, sizeof no);
}

File new_socket() { return File(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)); }

/// Somebody else's working socket, or something that is no socket at all, is not ours to replace.
void check_replaceable(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return;
  if (!S_ISSOCK(status.st_mode)) fail(EEXIST, path + ", where something stands that is no socket");
  if (is_listening(path)) fail(EADDRINUSE, path);
}

/// A directory of our own beside the final place: nobody can connect before the mode is right.
class Nursery {
 public:
  explicit Nursery(std::string directory) : directory_(std::move(directory)), path_(directory_ + "/.XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) fail(errno, directory_);
  }
  ~Nursery() {
    ::unlink(socket().c_str());
    ::rmdir(path_.c_str());
  }
  Nursery(const Nursery&) = delete;
  Nursery& operator=(const Nursery&) = delete;
  std::string socket() const { return path_ + "/s"; }

  /// As bind(2). Where this path is too long for an address, though the final one is not, it begins at a descriptor.
  int bind(const File& socket_file) const {
    const File directory(::open(directory_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    auto path = socket();
    if (path.size() >= sizeof(sockaddr_un::sun_path))
      path.replace(0, directory_.size(), "/proc/self/fd/" + std::to_string(directory.descriptor()));
    const auto address = unix_address(path);
    return ::bind(socket_file.descriptor(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }

 private:
  std::string directory_;
  std::string path_;
};

}  // namespace

SocketFile::SocketFile(std::string path, mode_t mode) : path_(std::move(path)), socket_(take_handed(path_)) {
  kept_ = socket_.descriptor() >= 0;
  if (kept_) {
    refuse_descriptors(socket_);
  } else {
    make(mode);
    kept_ = store_descriptor(socket_.descriptor(), path_);
  }
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) fail(errno, path_);
  device_ = status.st_dev;
  inode_ = status.st_ino;
}

SocketFile::~SocketFile() {
  struct stat status {};
  if (!kept_ && ::lstat(path_.c_str(), &status) == 0 && status.st_dev == device_ && status.st_ino == inode_)
    ::unlink(path_.c_str());
  if (made_directory_ && discarded_) ::rmdir(std::filesystem::path(path_).parent_path().c_str());
}

void SocketFile::make(mode_t mode) {
  unix_address(path_);  // clients need it to fit
  const auto directory = std::filesystem::path(path_).parent_path();
  std::error_code hidden;  // it is made then, and that fails with a reason
  made_directory_ = !std::filesystem::exists(directory, hidden);
  if (made_directory_) make_private_directory(directory.string());
  try {
    listen(directory.string(), mode);
  } catch (...) {
    if (made_directory_) ::rmdir(directory.c_str());
    throw;
  }
}

void SocketFile::listen(const std::string& directory, mode_t mode) {
  socket_ = new_socket();
  if (socket_.descriptor() < 0) fail(errno, path_);
  refuse_descriptors(socket_);
  check_replaceable(path_);
  const Nursery nursery(directory);
  const auto file = nursery.socket();
  if (nursery.bind(socket_) != 0 || ::chmod(file.c_str(), mode) != 0 ||
      ::listen(socket_.descriptor(), SOMAXCONN) != 0 || ::rename(file.c_str(), path_.c_str()) != 0)
    fail(errno, path_);
}

void SocketFile::discard(int listening) {
  if (kept_) {
    ::shutdown(listening, SHUT_RDWR);  // the manager's copy too: nobody is to wait there
    forget_descriptors(path_);
  }
  kept_ = false;
  discarded_ = true;
}

}  // namespace podfence::proxy
