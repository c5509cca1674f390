// The table of refusals, and the document made from it.
#include "rules/refusal_doc.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "rules/ascii.hpp"
#include "rules/refusal.hpp"
#include "tests/support/generated_document.hpp"

using namespace podfence::rules;

namespace {

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

bool is_id(std::string_view text) {
  const auto dot = text.find('.');
  return dot != 0 && dot != std::string_view::npos && dot + 1 < text.size() && count(text, ".") == 1 &&
         std::ranges::all_of(text, [](char c) { return ascii::is_lower(c) || c == '.' || c == '-'; });
}

}  // namespace

TEST_CASE("every refusal has an id of its own, one subject, and a way out unless it is hidden") {
  std::set<std::string_view> ids;
  for (const Refusal& row : refusal_table) {
    CAPTURE(row.id);
    CHECK(is_id(row.id));
    CHECK(ids.insert(row.id).second);
    CHECK(count(row.sentence, "{}") == 1);
    CHECK(row.way_out.empty() == row.hidden);
    CHECK(row.status >= 400);
    CHECK(row.status < 600);
    if (row.hidden) CHECK(row.status == 404);
  }
}

TEST_CASE("refusals of one family stand together") {
  std::set<std::string_view> closed;
  std::string_view family;
  for (const Refusal& row : refusal_table) {
    const auto own = row.id.substr(0, row.id.find('.'));
    if (own == family) continue;
    CAPTURE(row.id);
    CHECK(closed.insert(own).second);
    family = own;
  }
}

TEST_CASE("docs/refusals.md is what the table says") {
  podfence::testing::check_document("refusals.md", refusals_markdown());
}
