#pragma once
// The ledger's file in the hands of a test.

#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "proxy/ledger.hpp"

namespace podfence::testing {

/// What a person reads when the ledger of that path does not open, or "opened".
inline std::string refused_ledger(const std::string& path) {
  try {
    proxy::SqliteLedger ledger(path);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "opened";
}

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// For the owner only, as podfence wants its files.
inline void write_file(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
  chmod(path.c_str(), 0600);
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace podfence::testing
