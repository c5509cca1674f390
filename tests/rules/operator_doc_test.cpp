// What the operator's socket has is what its descriptions tell.

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

#include "rules/ascii.hpp"
#include "rules/json.hpp"
#include "rules/operator/call.hpp"

using namespace podfence::rules;

namespace {

std::string file(const char* name) {
  std::ifstream stream(std::string(PODFENCE_SOURCE_DIR "/docs/") + name);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

TEST_CASE("docs/admin-api.openapi.json describes every row of the operator's socket, and nothing else") {
  const auto parsed = json::parse(file("admin-api.openapi.json"));
  REQUIRE(std::holds_alternative<json::Value>(parsed));
  const auto& paths = *std::get<json::Value>(parsed).find("paths");
  for (const auto& row : operator_rows()) {
    CAPTURE(std::string(row.path));
    const auto* path = paths.find(row.path);
    REQUIRE(path);
    const auto* operation = path->find(ascii::lower(text(row.method)));
    REQUIRE(operation);
    CHECK((operation->find("requestBody") != nullptr) == row.takes_content);
  }
  std::size_t described = 0;
  for (const auto& [name, path] : *paths.members())
    for (const auto& [method, operation] : *path.members()) described += method != "parameters";
  CHECK(described == operator_rows().size());
}

TEST_CASE("docs/admin-api.md tells every row") {
  const auto page = file("admin-api.md");
  for (const auto& row : operator_rows()) {
    const auto words = "| `" + std::string(text(row.method)) + " " + std::string(row.path);
    CHECK_MESSAGE(page.find(words) != std::string::npos, words);
  }
}
