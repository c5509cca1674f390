#pragma once
// What podfence asks of the kernel for itself.

#include <cstdint>

namespace podfence::proxy {

/// Files are made for their owner only, no core dump and no debugger reads our memory (registry passwords pass through
/// it), a client that goes away is an error of write and no signal, and neither a closed terminal nor a rotation that
/// comes too early ends the service.
void harden_process();

/// Raises the soft limit of open files to the hard one.
struct FileLimit {
  std::uint64_t before;
  std::uint64_t now;
};
FileLimit raise_file_limit();

/// Large blocks of memory go back to the system when they are freed. glibc would raise the size from which that is so
/// with every one that it has seen (mallopt(3)), and keep what an upload or a long list once needed.
void return_freed_memory();
/// What many clients have used and left in small pieces goes back to the system too, if it is much. Takes a moment.
void give_back_memory();

}  // namespace podfence::proxy
