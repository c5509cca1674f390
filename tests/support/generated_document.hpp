#pragma once
// Documents that are generated from tables of the source. The test of each fails when the file in docs/ is stale;
// PODFENCE_WRITE_DOCS=1 in the environment writes it anew instead.

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace podfence::testing {

inline void check_document(const std::string& name, const std::string& generated) {
  const std::string path = std::string(PODFENCE_SOURCE_DIR) + "/docs/" + name;
  if (std::getenv("PODFENCE_WRITE_DOCS") != nullptr) std::ofstream(path, std::ios::binary) << generated;
  std::ostringstream written;
  written << std::ifstream(path, std::ios::binary).rdbuf();
  CHECK_MESSAGE(written.str() == generated, "docs/", name, " is stale: run the tests with PODFENCE_WRITE_DOCS=1");
}

}  // namespace podfence::testing
