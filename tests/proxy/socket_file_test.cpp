// The file of a listening socket, as others see it come and go.
#include "proxy/socket_file.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <system_error>

#include "proxy/unix_socket.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace podfence::proxy;
using podfence::testing::TemporaryDirectory;

namespace {

namespace fs = std::filesystem;

/// So many bytes long, with that name at the end, in a directory that is absent.
std::string path_of(const TemporaryDirectory& directory, std::size_t size, const std::string& name) {
  return directory.path(std::string(size - directory.path().size() - name.size() - 2, 'd')) + "/" + name;
}

std::string why_not(const std::string& path) {
  try {
    const SocketFile file(path);
    return "";
  } catch (const std::system_error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a socket's path may have 107 bytes, however short its name is") {
  const TemporaryDirectory directory;
  for (const std::size_t size : {std::size_t{60}, std::size_t{98}, std::size_t{99}, std::size_t{106}, std::size_t{107}})
    for (const std::string name : {"s", "podman.sock"}) {
      const auto path = path_of(directory, size, name);
      CAPTURE(path);
      REQUIRE(path.size() == size);
      const auto parent = fs::path(path).parent_path();
      {
        const SocketFile file(path, 0600);
        struct stat status {};
        REQUIRE(::stat(path.c_str(), &status) == 0);
        CHECK((status.st_mode & 07777) == 0600);
        CHECK(is_listening(path));
        CHECK(std::distance(fs::directory_iterator(parent), {}) == 1);
      }
      CHECK(fs::is_empty(parent));
    }
}

TEST_CASE("two sockets are told apart by where they were made, also where the path is long") {
  const TemporaryDirectory directory;
  const auto bound = [](SocketFile& file) {
    const File socket(file.release());
    sockaddr_un address{};
    socklen_t size = sizeof address;
    REQUIRE(::getsockname(socket.descriptor(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
    return std::string(address.sun_path);
  };
  const auto path = path_of(directory, 107, "s");
  SocketFile one(path);
  const auto first = bound(one);
  SocketFile other(path);  // nobody listens there any more
  CHECK(first != bound(other));
}

TEST_CASE("what cannot be made leaves nothing behind") {
  const TemporaryDirectory directory;
  const auto too_long = path_of(directory, 108, "podman.sock");
  CHECK(why_not(too_long) == too_long + ": File name too long");
  CHECK(fs::is_empty(directory.path()));
  // No descriptor is left for a socket when its directory has been made.
  const auto path = path_of(directory, 90, "podman.sock");
  rlimit usual{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &usual) == 0);
  const rlimit none{0, usual.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  const auto why = why_not(path);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &usual) == 0);
  CHECK(why == "cannot listen on " + path + ": Too many open files");
  CHECK(fs::is_empty(directory.path()));
  std::ofstream(directory.path("file")) << "in the way";
  CHECK(why_not(directory.path("file")).find("where something stands that is no socket") != std::string::npos);
  CHECK(std::distance(fs::directory_iterator(directory.path()), {}) == 1);
}
