#include "proxy/confinement.hpp"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "proxy/failure.hpp"
#include "proxy/load.hpp"
#include "proxy/system_calls.hpp"

namespace podfence::proxy {
namespace {

namespace filesystem = std::filesystem;

/// Of libraries: SQLite's seed, OpenSSL's settings. Processes that hold projects are known by files in /proc.
constexpr std::array always_readable{"/proc", "/dev/urandom", "/etc/ssl"};

std::string directory_of(const std::string& file) { return filesystem::absolute(file).parent_path().string(); }

/// The directory of a file that may be replaced, and that of the file which a link there leads to.
void add_directories_of(const std::string& file, std::vector<std::string>& to) {
  if (file.empty()) return;
  to.push_back(directory_of(file));
  std::error_code error;
  if (const auto real = filesystem::canonical(file, error); !error) to.push_back(real.parent_path().string());
}

void limit(__rlimit_resource resource, std::uint64_t value) {
  const rlimit both{value, value};
  if (::setrlimit(resource, &both) != 0) throw_errno("setrlimit");
}

/// Root goes by the modes of files in its own way, which its listeners and the workspaces of others may need.
void drop_capabilities() {
  constexpr std::uint32_t of_root = 1U << CAP_DAC_OVERRIDE | 1U << CAP_DAC_READ_SEARCH;
  const std::uint32_t kept = ::geteuid() == 0 ? of_root : 0;
  for (int capability = 0; ::prctl(PR_CAPBSET_READ, capability) >= 0; ++capability)
    ::prctl(PR_CAPBSET_DROP, capability);  // only who has CAP_SETPCAP can, and needs to
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> had{};
  if (::syscall(SYS_capget, &head, had.data()) != 0) throw_errno("capget");
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  sets[0].effective = sets[0].permitted = kept & had[0].permitted;
  if (::syscall(SYS_capset, &head, sets.data()) != 0) throw_errno("capset");
}

}  // namespace

std::string Confinement::text() const {
  if (!calls) return "not confined: what takes podfence over has all that its user has";
  return "confined: system calls by seccomp, connections by the connector, files " +
         (files > 0
              ? "by Landlock, version " + std::to_string(files)
              : std::string("not at all, since the kernel has no Landlock that is enough (version 2, Linux 5.19)"));
}

Reach reach_of(const rules::Configuration& configuration, const std::string& file,
               const std::vector<std::string>& policies) {
  Reach reach{{always_readable.begin(), always_readable.end()}, {configuration.state}};
  add_directories_of(file, reach.readable);
  for (const auto& policy : policies) add_directories_of(policy, reach.readable);
  reach.readable.push_back(configuration.policies.empty() ? policy_files().directory : configuration.policies);
  for (const auto& control : configuration.control) {
    for (const auto& pem : {control.certificate, control.key, control.clients, control.revoked})
      add_directories_of(pem, reach.readable);
    if (!control.socket.empty()) reach.writable.push_back(directory_of(control.socket));
  }
  if (configuration.audit.is_file()) reach.writable.push_back(directory_of(configuration.audit.to));
  if (!configuration.admin.empty()) reach.writable.push_back(directory_of(configuration.admin));
  for (const auto& [project, socket, life] : configuration.projects) reach.writable.push_back(directory_of(socket));
  return reach;
}

std::uint64_t memory_limit(const rules::HttpLimits& limits) {
  constexpr std::uint64_t clients = std::uint64_t{1} << 30;  // 16 KiB of each, and 64,000 of them
  constexpr std::uint64_t read_content = 8;  // a value that was read takes so many times its text at worst
  return clients + read_content * limits.buffered_bytes + limits.unpacking_bytes;
}

Confinement confine(const Reach& reach, std::uint64_t memory) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_DATA, memory);
  drop_capabilities();
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) throw_errno("no_new_privs");
  Confinement result;
  result.files = restrict_files(reach);
  restrict_system_calls(serving_calls());
  result.calls = true;
  return result;
}

}  // namespace podfence::proxy
