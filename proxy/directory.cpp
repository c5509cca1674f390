#include "proxy/directory.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "proxy/private_file.hpp"

namespace podfence::proxy {

std::string wrong_with_directory(const std::string& path) {
  open_how how{};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  // No wrapper in glibc 2.36.
  const File directory(static_cast<int>(syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how)));
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

}  // namespace podfence::proxy
