#include "proxy/private_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace podfence::proxy {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw std::runtime_error(path + " " + why);
}

[[noreturn]] void fail(const std::string& action, const std::string& path) {
  throw std::system_error(errno, std::generic_category(), "cannot " + action + " " + path);
}

void check_owner(const std::string& path, const struct stat& status) {
  if (status.st_uid != geteuid())
    refuse(path, "belongs to uid " + std::to_string(status.st_uid) + ", not to uid " + std::to_string(geteuid()) +
                     " that podfence runs as");
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) refuse(path, "can be written by others; chmod go-w it");
}

}  // namespace

File::~File() {
  if (descriptor_ >= 0) close(descriptor_);
}

File& File::operator=(File&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

int File::release() { return std::exchange(descriptor_, -1); }

File open_private_file(const std::string& path, int flags) {
  File file(open(path.c_str(), flags | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600));
  if (file.descriptor() < 0) fail("open", path);
  struct stat status {};
  if (fstat(file.descriptor(), &status) != 0) fail("look at", path);
  if (!S_ISREG(status.st_mode)) refuse(path, "is not a regular file");
  check_owner(path, status);
  return file;
}

void make_private_directory(const std::string& path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) fail("make the directory", part);
    if (end == std::string::npos) break;
  }
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) fail("look at", path);
  if (!S_ISDIR(status.st_mode)) refuse(path, "is not a directory");
  check_owner(path, status);
}

}  // namespace podfence::proxy
