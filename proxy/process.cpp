#include "proxy/process.hpp"

#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

namespace podfence::proxy {

void harden_process() {
  umask(077);
  prctl(PR_SET_DUMPABLE, 0);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGHUP, SIG_IGN);
  std::signal(SIGUSR1, SIG_IGN);
}

FileLimit raise_file_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  return {before, setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_max : before};
}

void return_freed_memory() {
  constexpr int large = 128 * 1024;
  mallopt(M_MMAP_THRESHOLD, large);
  mallopt(M_TRIM_THRESHOLD, large);
}

void give_back_memory() {
  constexpr std::size_t much = 32 * 1024 * 1024;
  std::size_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  const auto heap = ::mallinfo2();
  if (resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) > heap.uordblks + heap.hblkhd + much)
    ::malloc_trim(0);
}

}  // namespace podfence::proxy
