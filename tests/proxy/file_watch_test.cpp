// Files that are watched by their names, whatever those look like.
#include "proxy/file_watch.hpp"

#include <doctest/doctest.h>

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <fstream>
#include <functional>

#include "tests/support/socket.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace podfence::proxy;
using namespace podfence::testing;

namespace {

namespace fs = std::filesystem;

/// The current directory, until the test is over.
class Within {
 public:
  explicit Within(const std::string& directory) : before_(fs::current_path()) { fs::current_path(directory); }
  ~Within() {
    std::error_code ignored;
    fs::current_path(before_, ignored);
  }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;

 private:
  fs::path before_;
};

/// `change` is noticed, of what is watched as `path`.
bool is_noticed(const std::string& path, const std::function<void()>& change, Milliseconds time = patience) {
  boost::asio::io_context context;
  int changes = 0;
  FileWatch watch(context.get_executor(), {path}, [&] {
    ++changes;
    context.stop();
  });
  change();
  context.run_for(time);
  watch.stop();
  return changes == 1;
}

}  // namespace

TEST_CASE("a file is watched by any of its names, and replaced as well as written") {
  const TemporaryDirectory directory;
  const Within within(directory.path());
  fs::create_directory("sub");
  const auto write = [](const std::string& path, const std::string& text) { std::ofstream(path) << text; };
  write("podfence.json", "{}");
  for (const std::string& path : {std::string("podfence.json"), std::string("./podfence.json"),
                                  std::string("sub/../podfence.json"), directory.path("podfence.json")}) {
    CAPTURE(path);
    CHECK(is_noticed(path, [&] { write("podfence.json", path); }));
    CHECK(is_noticed(path, [&] {
      write("new", path + path);
      fs::rename("new", "podfence.json");
    }));
    CHECK_FALSE(is_noticed(
        path, [&] { write("beside", path); }, Milliseconds(500)));
  }
}

TEST_CASE("a directory is watched for all files in it") {
  const TemporaryDirectory directory;
  const Within within(directory.path());
  fs::create_directory("policies");
  for (const std::string& path : {std::string("policies"), directory.path("policies")}) {
    CAPTURE(path);
    CHECK(is_noticed(path, [&] { std::ofstream("policies/a.json") << path; }));
  }
}
