#include "proxy/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <system_error>

namespace podfence::proxy {
namespace {

std::runtime_error failure(const std::string& what, int error) {
  return std::runtime_error(what + ": " + std::generic_category().message(error));
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (const auto& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

/// Between fork and exec.
[[noreturn]] void become(char* const* arguments, char* const* environment, pid_t parent, int report) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);  // the parent ended before it could be watched
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGHUP, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(null, STDIN_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  execvpe(arguments[0], arguments, environment);
  const int error = errno;
  (void)!write(report, &error, sizeof error);
  _exit(127);
}

std::string described(const siginfo_t& info) {
  if (info.si_code == CLD_EXITED) return "ended with exit code " + std::to_string(info.si_status);
  return "was ended by signal " + std::to_string(info.si_status);
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) throw failure("cannot start " + arguments.front(), errno);
  const File reader(report[0]);
  File writer(report[1]);
  const auto words = pointers(arguments), variables = pointers(environment);
  const pid_t parent = getpid();
  id_ = fork();
  if (id_ < 0) throw failure("cannot start " + arguments.front(), errno);
  if (id_ == 0) become(words.data(), variables.data(), parent, writer.descriptor());
  // Not by <sys/pidfd.h>: glibc 2.36 forgot its extern "C".
  pid_file_ = File(static_cast<int>(syscall(SYS_pidfd_open, id_, 0)));
  writer = File();
  int error = 0;
  // Closed by a successful exec: then nothing is read.
  if (read(reader.descriptor(), &error, sizeof error) == sizeof error) {
    wait(patience);
    throw failure("cannot start " + arguments.front(), error);
  }
}

ChildProcess::~ChildProcess() {
  if (outcome_) return;
  send(SIGTERM);
  if (wait(patience)) return;
  send(SIGKILL);
  wait(patience);
}

/// By the file, which a confined process has, and no other process's.
void ChildProcess::send(int signal) { syscall(SYS_pidfd_send_signal, ended(), signal, nullptr, 0); }

std::optional<std::string> ChildProcess::wait(std::chrono::milliseconds time) {
  if (outcome_) return outcome_;
  pollfd ending{ended(), POLLIN, 0};
  if (poll(&ending, 1, static_cast<int>(time.count())) != 1) return std::nullopt;
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED);
  outcome_ = described(info);
  return outcome_;
}

}  // namespace podfence::proxy
