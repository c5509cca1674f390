// What a confined process can still do, tried from inside: each case confines a child and lets it try.
#include "proxy/confinement.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <functional>
#include <sstream>

#include "proxy/crash_guard.hpp"
#include "proxy/unix_socket.hpp"
#include "tests/support/socket.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace podfence::proxy;
using podfence::testing::Socket;
using podfence::testing::TemporaryDirectory;

namespace {

constexpr std::uint64_t memory = 512 * 1024 * 1024;

/// The error number of a call, 0 for none.
int error_of(long result) { return result < 0 ? errno : 0; }

int open_error(const std::string& path, int flags) { return error_of(::open(path.c_str(), flags | O_CLOEXEC, 0600)); }

/// The first of the attempts that did not come out as it should, counted from 1; 0 for none. A signal that ended the
/// process is negative.
int confined(const Reach& reach, const std::function<std::vector<bool>()>& attempts) {
  const auto end = run_guarded([&] {
    confine(reach, memory);
    const auto outcomes = attempts();
    const auto wrong = std::ranges::find(outcomes, false);
    return wrong == outcomes.end() ? 0 : static_cast<int>(wrong - outcomes.begin()) + 1;
  });
  return end.signal != 0 ? -end.signal : end.exit_code;
}

void write_file(const std::string& path) { std::ofstream(path) << "text"; }

/// Directories `read` and `write`, and a file in each and beside them.
struct Places {
  Places() {
    for (const auto* name : {"read", "write"}) ::mkdir(directory.path(name).c_str(), 0700);
    for (const auto* name : {"read/file", "write/file", "outside"}) write_file(directory.path(name));
    if (::symlink(directory.path("outside").c_str(), directory.path("write/link").c_str()) != 0) FAIL("no link");
  }
  Reach reach() const { return {{directory.path("read"), directory.path("absent")}, {directory.path("write")}}; }
  std::string operator()(const std::string& name) const { return directory.path(name); }

  TemporaryDirectory directory;
};

std::string status_line(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name + ":")) return line.substr(line.find_first_not_of(" \t", name.size() + 1));
  return "";
}

bool cannot_be_tried() {
  if (!is_sanitized) return false;
  MESSAGE("SKIPPED: confinement: a program with sanitizers does not confine itself");
  return true;
}

}  // namespace

TEST_CASE("confined: files are opened in reach and nowhere else") {
  if (cannot_be_tried()) return;
  if (landlock_version() < 2) {
    MESSAGE("SKIPPED: confinement: this kernel has no Landlock");
    return;
  }
  const Places at;
  CHECK(confined(at.reach(), [&]() -> std::vector<bool> {
          return {
              open_error(at("read/file"), O_RDONLY) == 0,
              open_error(at("read/file"), O_WRONLY) == EACCES,
              open_error(at("read/new"), O_WRONLY | O_CREAT) == EACCES,
              ::unlink(at("read/file").c_str()) < 0 && errno == EACCES,
              open_error(at("write/file"), O_RDWR) == 0,
              open_error(at("write/file"), O_RDWR | O_TRUNC) == 0,
              open_error(at("write/new"), O_RDWR | O_CREAT) == 0,
              open_error(at("write"), O_RDWR | O_TMPFILE) == 0,
              ::mkdir(at("write/below").c_str(), 0700) == 0,
              ::rename(at("write/new").c_str(), at("write/below/moved").c_str()) == 0,
              ::unlink(at("write/below/moved").c_str()) == 0,
              ::rmdir(at("write/below").c_str()) == 0,
              open_error(at("outside"), O_RDONLY) == EACCES,
              open_error(at("write/link"), O_RDONLY) == EACCES,
              open_error(at("write/../outside"), O_RDONLY) == EACCES,
              ::rename(at("write/file").c_str(), at("taken").c_str()) < 0,
              ::link(at("outside").c_str(), at("write/linked").c_str()) < 0,
              ::symlink("/etc/passwd", at("write/another").c_str()) < 0,
              ::mknod(at("write/pipe").c_str(), S_IFIFO | 0600, 0) < 0,
              open_error("/etc/passwd", O_RDONLY) == EACCES,
              open_error("/", O_RDONLY | O_DIRECTORY) == EACCES,
              open_error("/dev/kmsg", O_RDWR) == EACCES,
          };
        }) == 0);
}

TEST_CASE("confined: nobody is connected to, clients are accepted") {
  if (cannot_be_tried()) return;
  const Places at;
  const Socket listener = Socket::listen(at("write/listener"));
  const auto address = unix_address(at("write/listener"));
  CHECK(confined(at.reach(), [&]() -> std::vector<bool> {
          const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
          int pair[2];
          return {
              socket >= 0,
              ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0 && errno == EPERM,
              error_of(::socket(AF_INET, SOCK_STREAM, 0)) == EPERM,
              error_of(::socket(AF_INET6, SOCK_DGRAM, 0)) == EPERM,
              error_of(::socket(AF_NETLINK, SOCK_RAW, 0)) == EPERM,
              error_of(::socket(AF_VSOCK, SOCK_STREAM, 0)) == EPERM,
              ::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0,
              connect_to(address, 0).error == EPERM,
              ::write(pair[0], "a", 1) == 1,
          };
        }) == 0);
}

TEST_CASE("confined: no program is started and no process made") {
  if (cannot_be_tried()) return;
  const Places at;
  const auto tried = [&](const std::function<long()>& call) {
    return confined(at.reach(), [&]() -> std::vector<bool> { return {call() < 0 && errno == EPERM}; });
  };
  char* const words[] = {const_cast<char*>("true"), nullptr};
  CHECK(tried([&] { return ::execv("/bin/true", words); }) == -SIGSYS);
  CHECK(tried([&] { return ::fexecve(::open(at("read/file").c_str(), O_RDONLY), words, words); }) == -SIGSYS);
  CHECK(tried([] { return static_cast<long>(::fork()); }) == 0);
  CHECK(tried([] { return ::syscall(SYS_ptrace, 0, 0, 0, 0); }) == -SIGSYS);
  CHECK(tried([] { return ::syscall(SYS_mount, "none", "/mnt", "tmpfs", 0, nullptr); }) == -SIGSYS);
  CHECK(tried([] { return ::syscall(SYS_io_uring_setup, 1, nullptr); }) == -SIGSYS);
  CHECK(tried([] { return static_cast<long>(::kill(::getppid(), SIGTERM)); }) == 0);
  CHECK(tried([] { return static_cast<long>(::setuid(0)); }) == 0);
}

TEST_CASE("confined: memory has an end and never becomes code, terminals are not typed into") {
  if (cannot_be_tried()) return;
  const Places at;
  CHECK(confined(at.reach(), []() -> std::vector<bool> {
          const auto mapped = [](std::size_t size, int protection) {
            void* mapping = ::mmap(nullptr, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            return mapping == MAP_FAILED ? errno : 0;
          };
          void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
          char letter = 'a';
          rlimit core{};
          ::getrlimit(RLIMIT_CORE, &core);
          return {
              mapped(memory / 4, PROT_READ | PROT_WRITE) == 0,
              mapped(memory, PROT_READ | PROT_WRITE) == ENOMEM,
              mapped(4096, PROT_READ | PROT_EXEC) == EPERM,
              ::mprotect(page, 4096, PROT_READ | PROT_EXEC) < 0 && errno == EPERM,
              ::ioctl(STDIN_FILENO, TIOCSTI, &letter) < 0 && errno == EPERM,
              core.rlim_cur == 0 && core.rlim_max == 0,
          };
        }) == 0);
}

TEST_CASE("confined: no capability is left but root's with files, and none can be had") {
  if (cannot_be_tried()) return;
  const Places at;
  auto reach = at.reach();
  reach.readable.push_back("/proc");
  const std::string kept = ::geteuid() == 0 ? "0000000000000006" : "0000000000000000";
  CHECK(confined(reach, [&]() -> std::vector<bool> {
          return {
              status_line("CapEff") == kept,
              status_line("CapPrm") == kept,
              status_line("CapInh") == "0000000000000000",
              status_line("CapAmb") == "0000000000000000",
              ::geteuid() != 0 || status_line("CapBnd") == "0000000000000000",
              status_line("NoNewPrivs") == "1",
              status_line("Seccomp") == "2",
          };
        }) == 0);
}

TEST_CASE("what podfence reaches is what its configuration names") {
  podfence::rules::Configuration configuration;
  configuration.state = "/var/lib/podfence";
  configuration.audit.to = "/var/log/podfence/audit.log";
  configuration.admin = "/run/podfence/admin.sock";
  configuration.policies = "/srv/policies";
  configuration.projects.push_back({{}, "/run/podfence/p1/podman.sock"});
  configuration.control.push_back({.certificate = "/etc/tls/own.pem", .key = "/etc/keys/own.key"});
  configuration.control.push_back({.socket = "/run/control/podfence.sock"});
  const auto reach = reach_of(configuration, "/etc/podfence/podfence.json", {"/srv/more/jobs.json"});
  CHECK(reach.readable == std::vector<std::string>{"/proc", "/dev/urandom", "/etc/ssl", "/etc/podfence", "/srv/more",
                                                   "/srv/policies", "/etc/tls", "/etc/keys"});
  CHECK(reach.writable == std::vector<std::string>{"/var/lib/podfence", "/run/control", "/var/log/podfence",
                                                   "/run/podfence", "/run/podfence/p1"});
}
