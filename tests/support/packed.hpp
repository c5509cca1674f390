#pragma once
// Content packed by the programs that clients use.

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/temporary_directory.hpp"

namespace podfence::testing {

/// What a command of the shell, such as `gzip`, makes of the content.
inline std::string packed(const std::string& content, const std::string& command) {
  const TemporaryDirectory directory;
  std::ofstream(directory.path("in")) << content;
  const auto line = command + " < '" + directory.path("in") + "' > '" + directory.path("out") + "'";
  REQUIRE(std::system(line.c_str()) == 0);
  std::ifstream file(directory.path("out"));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace podfence::testing
