#include "proxy/process.hpp"

#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>

#include "proxy/private_file.hpp"

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

void notify_ready() {
  const char* named = std::getenv("NOTIFY_SOCKET");
  if (named == nullptr) return;
  const std::string_view path(named);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, path.data(), path.size());
  if (path.front() == '@') address.sun_path[0] = '\0';  // the abstract name space
  const File file(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  constexpr std::string_view ready = "READY=1";
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  // Nothing to do when nobody reads it: the service manager then gives up on us by itself.
  (void)sendto(file.descriptor(), ready.data(), ready.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address),
               size);
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
