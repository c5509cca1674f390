#pragma once
// The program itself, as a child of the test: `podfence serve` for one project in front of a given upstream.

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/support/raw_client.hpp"
#include "tests/support/temporary_directory.hpp"

namespace podfence::testing {

class Program {
 public:
  /// In front of this upstream, for the project p1. Waits until it listens. `to` is where the audit log goes, "" for
  /// the file that audit() reads; `around` are words of a program that runs it.
  explicit Program(const std::string& upstream, const std::string& to = "",
                   const std::vector<std::string>& around = {});
  /// Kills it if it still runs.
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  std::string socket() const { return directory_.path() + "/podman.sock"; }
  RawClient client() const { return RawClient(socket()); }
  void signal(int number) const;
  /// Its exit code; nothing when it was killed, or did not end in time.
  std::optional<int> exit_code(Milliseconds timeout = patience);
  /// What it said on standard error, and its audit log.
  std::string said() const;
  std::string audit() const;
  std::string audit_file() const { return directory_.path() + "/audit.log"; }

 private:
  TemporaryDirectory directory_;
  pid_t id_ = -1;
};

}  // namespace podfence::testing
