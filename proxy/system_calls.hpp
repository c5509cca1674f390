#pragma once
// seccomp(2): which system calls this process may make from now on. There is no way back.

#include <cstdint>
#include <span>

namespace podfence::proxy {

/// One argument of the call, compared where the mask has ones.
struct Condition {
  unsigned argument = 0;
  std::uint64_t mask = 0;  ///< 0: no condition
  std::uint64_t value = 0;
};

struct AllowedCall {
  int number;  ///< as libseccomp has it: negative where the machine has no such call
  Condition only = {};
};

/// All that podfence needs when it serves.
std::span<const AllowedCall> serving_calls();
/// All that its connector needs (connector.hpp).
std::span<const AllowedCall> connecting_calls();

/// Every other call fails with EPERM; those that only an intruder makes (a program is started, a process traced, a
/// file system mounted) end the process. Needs no_new_privs. Throws std::system_error.
void restrict_system_calls(std::span<const AllowedCall> allowed);

}  // namespace podfence::proxy
