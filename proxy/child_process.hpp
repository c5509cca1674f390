#pragma once
// A program that podfence starts: with an environment of its own, no file of ours but standard error, a session of its
// own, and no longer life than ours.

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "proxy/private_file.hpp"

namespace podfence::proxy {

class ChildProcess {
 public:
  /// Throws std::runtime_error when the program cannot be started. It is looked for in our PATH.
  ChildProcess(const std::vector<std::string>& arguments, const std::vector<std::string>& environment);
  /// Ends it: TERM, and KILL when it has not gone after `patience`.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t id() const { return id_; }
  /// Becomes readable when the process has ended (pidfd_open(2)).
  int ended() const { return pid_file_.descriptor(); }
  /// How it ended, in a phrase for people; nullopt when it still runs after that time.
  std::optional<std::string> wait(std::chrono::milliseconds time);

 private:
  static constexpr std::chrono::seconds patience{5};

  void send(int signal);

  pid_t id_ = -1;
  File pid_file_;
  std::optional<std::string> outcome_;
};

}  // namespace podfence::proxy
