// docs/threat-model.md claims nothing without a test: every row of its tables names files, and cases in them, that
// exist.

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

const std::string root = PODFENCE_SOURCE_DIR;

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Proof {
  std::string file, test_case;
};

std::string between(const std::string& text, std::size_t& at, char mark) {
  const auto end = text.find(mark, at + 1);
  REQUIRE(end != std::string::npos);
  auto inside = text.substr(at + 1, end - at - 1);
  at = end;
  return inside;
}

/// `file` "case", `file`, …
std::vector<Proof> proofs_in(const std::string& cell) {
  std::vector<Proof> proofs;
  for (std::size_t at = 0; at < cell.size(); ++at) {
    if (cell[at] == '`') proofs.push_back({between(cell, at, '`'), {}});
    if (at < cell.size() && cell[at] == '"' && !proofs.empty()) proofs.back().test_case = between(cell, at, '"');
  }
  return proofs;
}

}  // namespace

TEST_CASE("every row of the threat model names tests that exist") {
  std::size_t rows = 0;
  std::ifstream document(root + "/docs/threat-model.md");
  for (std::string line; std::getline(document, line);) {
    if (!line.starts_with("| ") || line.starts_with("| attack ")) continue;
    CAPTURE(line);
    ++rows;
    const auto last = line.rfind(" | ");
    REQUIRE(last != std::string::npos);
    const auto proofs = proofs_in(line.substr(last + 3));
    CHECK_FALSE(proofs.empty());
    for (const auto& proof : proofs) {
      CAPTURE(proof.file);
      CAPTURE(proof.test_case);
      CHECK(std::filesystem::is_regular_file(root + "/" + proof.file));
      CHECK(read(root + "/" + proof.file).find(proof.test_case) != std::string::npos);
    }
  }
  CHECK(rows > 25);
}
