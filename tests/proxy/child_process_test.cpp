// Programs that podfence starts: what they get, and how they end.
#include "proxy/child_process.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "proxy/podman_service.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace podfence::proxy;
using namespace std::chrono_literals;
using podfence::testing::TemporaryDirectory;

namespace {

using Texts = std::vector<std::string>;

/// What a shell script writes to the file $OUT.
std::string output_of(const std::string& script, Texts environment) {
  const TemporaryDirectory directory;
  environment.push_back("OUT=" + directory.path("out"));
  ChildProcess child({"/bin/sh", "-c", script}, environment);
  REQUIRE(child.wait(10s) == "ended with exit code 0");
  std::ostringstream text;
  text << std::ifstream(directory.path("out")).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("a program has the environment it was given and nothing of ours") {
  setenv("PODFENCE_TEST_SECRET", "hunter2", 1);
  const std::string output = output_of("tr '\\0' '\\n' < /proc/$$/environ > \"$OUT\"", {"PATH=/usr/bin:/bin", "A=b"});
  CHECK(output.starts_with("PATH=/usr/bin:/bin\nA=b\nOUT="));
  CHECK(output.find("hunter2") == std::string::npos);
  unsetenv("PODFENCE_TEST_SECRET");
}

TEST_CASE("a program has no file of ours, and a session of its own") {
  const int leak = dup2(STDERR_FILENO, 77);  // without close-on-exec
  REQUIRE(leak == 77);
  CHECK(output_of("[ -e /proc/$$/fd/2 ] && [ ! -e /proc/$$/fd/77 ] && echo closed > \"$OUT\"", {}) == "closed\n");
  close(leak);
  CHECK(output_of("ps -o sid= -p $$ | tr -d ' ' > \"$OUT.sid\"; [ $$ = $(cat \"$OUT.sid\") ] && echo own > \"$OUT\"; "
                  "rm \"$OUT.sid\"",
                  {}) == "own\n");
}

TEST_CASE("signals that podfence ignores are not ignored by its programs") {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  CHECK(output_of("grep SigIgn /proc/$$/status | tr -d '\\t' > \"$OUT\"", {}) == "SigIgn:0000000000000000\n");
  std::signal(SIGPIPE, before);
}

TEST_CASE("how a program ended is told") {
  const Texts environment;
  CHECK(ChildProcess({"/bin/sh", "-c", "exit 3"}, environment).wait(10s) == "ended with exit code 3");
  CHECK(ChildProcess({"/bin/sh", "-c", "kill -9 $$"}, environment).wait(10s) == "was ended by signal 9");
  ChildProcess running({"/bin/sleep", "60"}, environment);
  CHECK_FALSE(running.wait(0ms));
  pollfd ended{running.ended(), POLLIN, 0};
  CHECK(poll(&ended, 1, 0) == 0);
  kill(running.id(), SIGKILL);
  CHECK(poll(&ended, 1, 10'000) == 1);
  CHECK(running.wait(10s) == "was ended by signal 9");
  CHECK(running.wait(10s) == "was ended by signal 9");
}

TEST_CASE("a program that is not there cannot be started") {
  CHECK_THROWS_WITH(ChildProcess({"/no/such/program"}, {}), "cannot start /no/such/program: No such file or directory");
}

TEST_CASE("a program ends with its owner") {
  pid_t id = 0;
  {
    const ChildProcess child({"/bin/sleep", "60"}, {});
    id = child.id();
    CHECK(kill(id, 0) == 0);
  }
  CHECK(kill(id, 0) != 0);
}

TEST_CASE("Podman gets the variables it needs and none that a client should not read") {
  const Places::Environment environment = [](const char* name) -> std::string {
    const std::string_view text(name);
    if (text == "HOME") return "/h";
    if (text == "PATH") return "/bin";
    if (text == "HTTP_PROXY" || text == "AWS_SECRET_ACCESS_KEY") return "secret";
    return "";
  };
  CHECK(podman_environment(environment) == Texts{"PATH=/bin", "HOME=/h"});
}
