#pragma once
// The survey of every field, parameter and header that Podman 4.3, 5.4 and 6.0 read: podman-api/create-fields.tsv.

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace podfence::tests {

struct SurveyRow {
  std::string body, path, decision;
};

/// Empty where the file is not: set PODFENCE_SHARED to the folder that has podman-api/create-fields.tsv.
inline std::vector<SurveyRow> read_survey() {
  const char* shared = std::getenv("PODFENCE_SHARED");
  const std::string folder = shared ? shared : std::string(PODFENCE_SOURCE_DIR) + "/../shared";
  std::ifstream file(folder + "/podman-api/create-fields.tsv");
  std::vector<SurveyRow> rows;
  std::string line;
  std::getline(file, line);  // the heading
  while (std::getline(file, line)) {
    std::vector<std::string> cells(1);
    for (const char c : line) {
      if (c == '\t')
        cells.emplace_back();
      else
        cells.back() += c;
    }
    if (cells.size() >= 6) rows.push_back({cells[0], cells[1], cells[5]});
  }
  return rows;
}

}  // namespace podfence::tests
