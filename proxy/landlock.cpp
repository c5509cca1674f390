#include "proxy/landlock.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "proxy/failure.hpp"
#include "proxy/private_file.hpp"

namespace podfence::proxy {
namespace {

using Rights = std::uint64_t;

/// Debian 12's header ends with version 2.
namespace later {
constexpr Rights truncate = 1ULL << 14;         // version 3
constexpr Rights bind_tcp = 1ULL << 0;          // version 4
constexpr Rights connect_tcp = 1ULL << 1;       // version 4
constexpr Rights device_commands = 1ULL << 15;  // version 5
constexpr Rights abstract_sockets = 1ULL << 0;  // version 6
}  // namespace later

/// struct landlock_ruleset_attr as of version 6. A kernel takes the part that it knows.
struct Ruleset {
  Rights files = 0;
  Rights ports = 0;
  Rights scopes = 0;
};

constexpr int least_version = 2;

constexpr Rights of_files = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE |
                            later::truncate | later::device_commands;
constexpr Rights read_rights = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr Rights write_rights = read_rights | LANDLOCK_ACCESS_FS_WRITE_FILE | later::truncate |
                                LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_DIR |
                                LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                                LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REFER;

/// What each version came with.
struct Step {
  int version;
  Ruleset adds;
};
constexpr std::array steps{
    Step{1, {.files = LANDLOCK_ACCESS_FS_MAKE_SYM * 2 - 1}},  // the thirteen of the first version, 0 to MAKE_SYM
    Step{2, {.files = LANDLOCK_ACCESS_FS_REFER}},
    Step{3, {.files = later::truncate}},
    Step{4, {.ports = later::bind_tcp | later::connect_tcp}},
    Step{5, {.files = later::device_commands}},
    Step{6, {.scopes = later::abstract_sockets}},
};

Ruleset ruleset_of(int version) {
  Ruleset all;
  for (const auto& [since, adds] : steps) {
    if (version < since) break;
    all = {all.files | adds.files, all.ports | adds.ports, all.scopes | adds.scopes};
  }
  return all;
}

void allow(const File& rules, const std::string& path, Rights rights) {
  const File file(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (file.descriptor() < 0) {
    if (errno == ENOENT) return;
    throw_errno(path);
  }
  struct stat status {};
  if (::fstat(file.descriptor(), &status) != 0) throw_errno(path);
  if (!S_ISDIR(status.st_mode)) rights &= of_files;
  const landlock_path_beneath_attr beneath{.allowed_access = rights, .parent_fd = file.descriptor()};
  if (::syscall(SYS_landlock_add_rule, rules.descriptor(), LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) != 0)
    throw_errno(path);
}

}  // namespace

int landlock_version() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version < 0 ? 0 : static_cast<int>(version);
}

int restrict_files(const Reach& reach) {
  const int version = landlock_version();
  if (version < least_version) return 0;
  const auto all = ruleset_of(version);
  const File rules(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0)));
  if (rules.descriptor() < 0) throw_errno("landlock_create_ruleset");
  for (const auto& path : reach.readable) allow(rules, path, read_rights & all.files);
  for (const auto& path : reach.writable) allow(rules, path, write_rights & all.files);
  if (::syscall(SYS_landlock_restrict_self, rules.descriptor(), 0) != 0) throw_errno("landlock_restrict_self");
  return version;
}

}  // namespace podfence::proxy
