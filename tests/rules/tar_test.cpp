// Archives that podfence writes itself.

#include "rules/tar.hpp"

#include <doctest/doctest.h>

#include "world.hpp"

using namespace podfence::tests;

TEST_CASE("a tar archive has what POSIX says") {
  const TarFile files[] = {{"d/a", "one", 0640}};
  const auto archive = write_tar(files);
  CHECK(archive.size() == 5 * 512);
  CHECK(archive.substr(0, 2) == "d/");
  CHECK(archive.substr(156, 1) == "5");
  CHECK(archive.substr(512, 3) == "d/a");
  CHECK(archive.substr(512 + 100, 7) == "0000640");
  CHECK(archive.substr(512 + 124, 11) == "00000000003");
  CHECK(archive.substr(512 + 257, 8) == std::string("ustar\00000", 8));
  CHECK(archive.substr(1024, 3) == "one");
  unsigned sum = 0;
  auto header = archive.substr(512, 512);
  header.replace(148, 8, "        ");
  for (const char c : header) sum += static_cast<unsigned char>(c);
  CHECK(std::stoul(archive.substr(512 + 148, 6), nullptr, 8) == sum);
}
