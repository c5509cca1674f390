#pragma once
// Documents, or tables in them, that are generated from tables of the source. The test of each fails when the file in
// docs/ is stale; PODFENCE_WRITE_DOCS=1 in the environment writes it anew instead.

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace podfence::testing {

inline std::string document_path(const std::string& name) { return std::string(PODFENCE_SOURCE_DIR) + "/docs/" + name; }

inline std::string document(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(document_path(name), std::ios::binary).rdbuf();
  return text.str();
}

inline void check_document(const std::string& name, const std::string& generated) {
  if (std::getenv("PODFENCE_WRITE_DOCS") != nullptr) std::ofstream(document_path(name), std::ios::binary) << generated;
  CHECK_MESSAGE(document(name) == generated, "docs/", name, " is stale: run the tests with PODFENCE_WRITE_DOCS=1");
}

/// The table with the same first line; it ends before the first empty one.
inline void check_table_in_document(const std::string& name, const std::string& generated) {
  auto text = document(name);
  const auto begin = text.find(generated.substr(0, generated.find('\n') + 1));
  REQUIRE_MESSAGE(begin != std::string::npos, "docs/", name, " has no table that begins so: ", generated);
  const auto end = text.find("\n\n", begin);
  const auto size = end == std::string::npos ? text.size() - begin : end + 1 - begin;
  const bool is_stale = text.substr(begin, size) != generated;
  if (is_stale && std::getenv("PODFENCE_WRITE_DOCS") != nullptr)
    std::ofstream(document_path(name), std::ios::binary) << text.replace(begin, size, generated);
  else
    CHECK_MESSAGE(!is_stale, "docs/", name, " is stale: run the tests with PODFENCE_WRITE_DOCS=1");
}

}  // namespace podfence::testing
