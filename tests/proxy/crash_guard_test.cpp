// What ends a child leaves behind what it was busy with.
#include "proxy/crash_guard.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "proxy/load.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace podfence::proxy;
using podfence::testing::TemporaryDirectory;

TEST_CASE("the number that the work returns is the child's exit code") {
  for (const int code : {0, 1, 6}) {
    const auto end = run_guarded([&] { return code; });
    CHECK(end.exit_code == code);
    CHECK(end.signal == 0);
  }
}

TEST_CASE("an exception of the work is a failure of the child, and stays there") {
  const auto end = run_guarded([]() -> int { throw std::runtime_error("on purpose"); });
  CHECK(end.exit_code == EXIT_FAILURE);
  CHECK(end.signal == 0);
}

TEST_CASE("a signal that ends the child is told, and its last input is there, whole") {
  const std::string bytes = std::string("GET / HTTP/1.1\r\n\0\xff", 18) + std::string(300'000, 'x');
  for (const int signal : {SIGABRT, SIGSEGV, SIGKILL}) {
    CurrentInput current;
    const auto end = run_guarded([&] {
      current.set(std::string(1'000'000, 'y'));  // a longer one before it leaves nothing behind
      current.set(bytes);
      std::signal(signal, SIG_DFL);  // doctest has handlers of its own
      std::raise(signal);
      return 0;
    });
    CHECK(end.signal == signal);
    CHECK(current.get() == bytes);
  }
}

TEST_CASE("nothing was set: nothing is there") {
  const CurrentInput current;
  CHECK(current.get().empty());
}

TEST_CASE("a saved input is named by its kind and its bytes") {
  const TemporaryDirectory directory;
  const auto path = save_input(directory.path(), "crash", "abc");
  // The digest is that of RFC 6234 section 8.5, TEST1.
  CHECK(path == directory.path() + "/crash-ba7816bf8f01cfea");
  CHECK(read_file(path).text == "abc");
  CHECK(save_input(directory.path(), "crash", "abd") != path);
  CHECK_THROWS_WITH_AS(save_input(directory.path() + "/absent", "crash", "abc"),
                       doctest::Contains("absent/crash-ba7816bf8f01cfea: cannot be written"), std::runtime_error);
}
