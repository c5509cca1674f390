// Files and directories that nobody but podfence may write.
#include "proxy/private_file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <stdexcept>

#include "tests/support/temporary_directory.hpp"

using namespace podfence::proxy;
using podfence::testing::TemporaryDirectory;

namespace {

mode_t mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

}  // namespace

TEST_CASE("a directory is made with its parents, for the owner only") {
  const TemporaryDirectory directory;
  make_private_directory(directory.path("a/b/c"));
  for (const char* part : {"a", "a/b", "a/b/c"}) CHECK(mode_of(directory.path(part)) == 0700);
  make_private_directory(directory.path("a/b/c"));
}

TEST_CASE("a directory that others may write to is refused, one that others may read is not") {
  const TemporaryDirectory directory;
  make_private_directory(directory.path("a"));
  chmod(directory.path("a").c_str(), 0755);
  CHECK_NOTHROW(make_private_directory(directory.path("a")));
  chmod(directory.path("a").c_str(), 0770);
  CHECK_THROWS_AS(make_private_directory(directory.path("a")), std::runtime_error);
  chmod(directory.path("a").c_str(), 01777);
  CHECK_THROWS_AS(make_private_directory(directory.path("a")), std::runtime_error);
}

TEST_CASE("what is in the way of a directory is named") {
  const TemporaryDirectory directory;
  { const File file = open_private_file(directory.path("file"), O_RDWR); }
  CHECK_THROWS_WITH(make_private_directory(directory.path("file")),
                    (directory.path("file") + " is not a directory").c_str());
  CHECK_THROWS_WITH(make_private_directory(directory.path("file/b")),
                    ("cannot make the directory " + directory.path("file/b") + ": Not a directory").c_str());
}

TEST_CASE("a file that is not regular is refused, and waits for nobody") {
  const TemporaryDirectory directory;
  REQUIRE(mkfifo(directory.path("pipe").c_str(), 0600) == 0);
  CHECK_THROWS_AS(open_private_file(directory.path("pipe"), O_RDWR), std::runtime_error);
  CHECK_THROWS_AS(open_private_file(directory.path("pipe"), O_WRONLY), std::runtime_error);
}
