#include "proxy/directory.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "proxy/private_file.hpp"

namespace podfence::proxy {
namespace {

/// No wrapper in glibc 2.36.
File open_without_links(int from, const std::string& path, std::uint64_t flags, std::uint64_t resolve) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC | flags;
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | resolve;
  return File(static_cast<int>(syscall(SYS_openat2, from, path.c_str(), &how, sizeof how)));
}

File open_directory(const std::string& path) { return open_without_links(AT_FDCWD, path, O_DIRECTORY, 0); }

}  // namespace

std::string wrong_with_directory(const std::string& path) {
  const File directory = open_directory(path);
  if (directory.descriptor() >= 0) return "";
  switch (errno) {
    case ELOOP:
      return "must have no symbolic link in it";
    case ENOENT:
      return "does not exist";
    case ENOTDIR:
      return "must be a directory";
    default:
      return "cannot be opened: " + std::generic_category().message(errno);
  }
}

bool is_below_directory(const std::string& directory, const std::string& below) {
  const File root = open_directory(directory);
  if (root.descriptor() < 0) return false;
  const File source = open_without_links(root.descriptor(), below, 0, RESOLVE_BENEATH);
  struct stat status {};
  return source.descriptor() >= 0 && ::fstat(source.descriptor(), &status) == 0 &&
         (S_ISDIR(status.st_mode) || S_ISREG(status.st_mode));
}

}  // namespace podfence::proxy
