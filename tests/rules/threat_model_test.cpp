// docs/threat-model.md and docs/http-framing.md claim nothing without a test: every row of a table whose last column is
// "proven by" names files, and cases in them, that exist.

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

/// The cells of the column "proven by".
std::vector<std::string> proven_by(const std::string& document) {
  std::vector<std::string> cells;
  std::ifstream file(root + "/docs/" + document);
  bool in_table = false;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("|")) {
      in_table = false;
    } else if (line.ends_with("| proven by |")) {
      in_table = true;
    } else if (in_table && !line.starts_with("|--")) {
      const auto last = line.rfind(" | ");
      REQUIRE(last != std::string::npos);
      cells.push_back(line.substr(last + 3));
    }
  }
  return cells;
}

void check_proofs(const std::string& cell) {
  CAPTURE(cell);
  const auto proofs = proofs_in(cell);
  CHECK_FALSE(proofs.empty());
  for (const auto& proof : proofs) {
    CAPTURE(proof.file);
    CAPTURE(proof.test_case);
    CHECK(std::filesystem::is_regular_file(root + "/" + proof.file));
    CHECK(read(root + "/" + proof.file).find(proof.test_case) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("every row of the threat model and of HTTP framing names tests that exist") {
  const std::pair<std::string, std::size_t> documents[] = {{"threat-model.md", 50}, {"http-framing.md", 18}};
  for (const auto& [document, at_least] : documents) {
    CAPTURE(document);
    const auto cells = proven_by(document);
    CHECK(cells.size() >= at_least);
    for (const auto& cell : cells) check_proofs(cell);
  }
}
