#include "tests/support/program.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>
#include <vector>

namespace podfence::testing {
namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (auto& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

Program::Program(const std::string& upstream, const std::string& to, const std::vector<std::string>& around) {
  const auto& home = directory_.path();
  std::vector<std::string> arguments = around;
  for (const auto& word :
       {std::string(PODFENCE_PROGRAM), std::string("serve"), std::string("--project"), std::string("p1"),
        std::string("--upstream"), upstream, std::string("--socket"), socket(), std::string("--state"), home + "/state",
        std::string("--audit-log"), to.empty() ? audit_file() : to})
    arguments.push_back(word);
  std::vector<std::string> environment{"HOME=" + home, "XDG_RUNTIME_DIR=" + home, "PATH=/usr/bin:/bin"};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  const auto log = home + "/log";
  ::posix_spawn_file_actions_addopen(&actions, 2, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int failed = ::posix_spawnp(&id_, arguments.front().c_str(), &actions, nullptr, pointers(arguments).data(),
                                    pointers(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::system_error(failed, std::generic_category(), PODFENCE_PROGRAM);
  for (auto waited = Milliseconds(0); waited < patience && said().find(" listens on ") == std::string::npos;
       waited += Milliseconds(5))
    std::this_thread::sleep_for(Milliseconds(5));
  CHECK_MESSAGE(said().find(" listens on ") != std::string::npos, said());
}

Program::~Program() {
  if (id_ < 0) return;
  signal(SIGKILL);
  ::waitpid(id_, nullptr, 0);
}

void Program::signal(int number) const { ::kill(id_, number); }

std::optional<int> Program::exit_code(Milliseconds timeout) {
  int status = 0;
  for (auto waited = Milliseconds(0); ::waitpid(id_, &status, WNOHANG) == 0; waited += Milliseconds(5)) {
    if (waited >= timeout) return std::nullopt;
    std::this_thread::sleep_for(Milliseconds(5));
  }
  id_ = -1;
  return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
}

std::string Program::said() const { return content_of(directory_.path() + "/log"); }

std::string Program::audit() const { return content_of(audit_file()); }

}  // namespace podfence::testing
