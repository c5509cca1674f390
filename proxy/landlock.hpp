#pragma once
// Landlock (landlock(7), Documentation/userspace-api/landlock.rst of Linux): what this process and its children may
// open and bind from now on, whatever the user who runs it may. There is no way back.

#include <span>
#include <string>
#include <vector>

namespace podfence::proxy {

/// Files and directories; of a directory everything beneath. What does not exist is left out.
struct Reach {
  std::vector<std::string> readable;
  std::vector<std::string> writable;  ///< things are made and removed there too
};

/// Version of the kernel's Landlock, 0 for none.
int landlock_version();

/// Nothing else is opened; no TCP port is bound or connected to (since version 4), no abstract unix socket of others is
/// reached (since 6). Needs no_new_privs. Returns the version, 0 where the kernel has none that is enough for podfence
/// (2: files can be moved from one directory to another). Throws std::system_error.
int restrict_files(const Reach& reach);

}  // namespace podfence::proxy
