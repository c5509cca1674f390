#pragma once
// Policy files for tests, out of a folder of the source tree: "/policies/small.json" is small.json there.

#include <fstream>
#include <sstream>
#include <string>

#include "rules/configuration.hpp"

namespace podfence::tests {

inline std::string file_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// `folder` is relative to the source tree.
inline rules::PolicyFiles policy_files(const std::string& folder) {
  const std::string directory = std::string(PODFENCE_SOURCE_DIR) + "/" + folder;
  return {"/policies", [directory](const std::string& path) -> rules::FileText {
            std::ifstream file(directory + path.substr(path.rfind('/')));
            if (!file.is_open()) return {"", "cannot be read"};
            std::ostringstream text;
            text << file.rdbuf();
            return {text.str()};
          }};
}

}  // namespace podfence::tests
