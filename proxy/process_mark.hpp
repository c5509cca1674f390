#pragma once
// A process, recognised also after a restart of podfence or of the machine: ids of processes are given away again.

#include <sys/types.h>

#include <string>

namespace podfence::proxy {

/// Which boot of the machine, and when in it the process began. "" for one that is not there, or has ended and is not
/// waited for yet.
std::string mark_of_process(pid_t process);

}  // namespace podfence::proxy
