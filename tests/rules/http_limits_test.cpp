// The key `http` of the configuration, and the tables of docs/configuration.md and docs/http-framing.md about it.
#include "rules/http_limits.hpp"

#include <doctest/doctest.h>

#include "rules/configuration_schema.hpp"
#include "rules/json_pointer.hpp"
#include "rules/refusal.hpp"
#include "tests/support/generated_document.hpp"

using namespace podfence::rules;

namespace {

/// As the configuration writes it.
json::Value said(const HttpLimitRow& row, std::int64_t value) {
  if (row.unit == Unit::Count) return json::Value::integer(value);
  return std::to_string(value) + (row.unit == Unit::Seconds ? "s" : "");
}

json::Value object(const HttpLimitRow& row, std::int64_t value) {
  auto object = json::Value::object();
  object.set(row.key, said(row, value));
  return object;
}

std::string wrong(const json::Value& value) {
  const auto read = read_http_limits(value);
  const auto* error = std::get_if<HttpLimitError>(&read);
  return error ? error->where + " " + error->what : "";
}

const HttpLimits& right(const std::variant<HttpLimits, HttpLimitError>& read) {
  REQUIRE(std::holds_alternative<HttpLimits>(read));
  return std::get<HttpLimits>(read);
}

std::string text(const HttpLimitRow& row, std::int64_t value) { return amount_text(row.unit, value); }

std::string default_text(const HttpLimitRow& row) { return text(row, row.value(HttpLimits())); }

/// "431 `http.head-too-large`", or what happens in words.
std::string beyond(const HttpLimitRow& row) {
  for (const auto& refusal : refusal_table)
    if (refusal.id == row.beyond) return std::to_string(refusal.status) + " `" + std::string(refusal.id) + "`";
  return std::string(row.beyond);
}

std::string setting_rows() {
  std::string rows = "| key in `http` | least | default | most |\n| --- | --- | --- | --- |\n";
  for (const auto& row : http_limit_rows)
    rows += "| `" + std::string(row.key) + "` | " + text(row, row.least) + " | " + default_text(row) + " | " +
            text(row, row.most) + " |\n";
  return rows;
}

std::string limit_rows() {
  std::string rows = "| limit | default | of what | beyond it |\n| --- | --- | --- | --- |\n";
  for (const auto& row : http_limit_rows)
    rows += "| `" + std::string(row.key) + "` | " + default_text(row) + " | " + std::string(row.meaning) + " | " +
            beyond(row) + " |\n";
  return rows;
}

}  // namespace

TEST_CASE("what the configuration says of http counts, the rest keeps its default") {
  const HttpLimits defaults;
  const auto read = read_http_limits(std::get<json::Value>(
      json::parse(R"({"head_bytes":"32k","fields":50,"idle_time":"1h","project_connections":40})")));
  const auto& limits = right(read);
  CHECK(limits.head_bytes == 32 * 1024);
  CHECK(limits.fields == 50);
  CHECK(limits.idle_time == std::chrono::hours(1));
  CHECK(limits.project_connections == 40);
  CHECK(limits.json_bytes == defaults.json_bytes);
  CHECK(limits.connections == defaults.connections);
}

TEST_CASE("every limit has bounds within which it can be set, and a default within them") {
  for (const auto& row : http_limit_rows) {
    CAPTURE(row.key);
    const auto standard = row.value(HttpLimits());
    CHECK(row.least <= standard);
    CHECK(standard <= row.most);
    CHECK(row.least < row.most);
    CHECK(wrong(object(row, row.most + 1)).starts_with("/" + std::string(row.key) + " must be "));
    CHECK(wrong(object(row, row.most + 1))
              .ends_with("; allowed: " + text(row, row.least) + " to " + text(row, row.most)));
    if (row.least > 0) CHECK(wrong(object(row, row.least - 1)).starts_with("/" + std::string(row.key) + " must be "));
    CHECK(row.value(right(read_http_limits(object(row, standard)))) == standard);
  }
}

TEST_CASE("at every bound a configuration exists that loads") {
  // What may not be smaller than another limit is set together with it.
  auto least = json::Value::object(), most = json::Value::object();
  for (const auto& row : http_limit_rows) {
    least.set(row.key, said(row, row.least));
    most.set(row.key, said(row, row.most));
  }
  for (const auto* all : {&least, &most}) {
    CHECK(wrong(*all) == "");
    for (const auto& row : http_limit_rows)
      CHECK(row.value(right(read_http_limits(*all))) == (all == &least ? row.least : row.most));
  }
}

TEST_CASE("limits that contradict each other do not load, whichever of them is said") {
  const std::pair<const char*, const char*> rows[] = {
      {R"({"target_bytes":"16k","head_bytes":"8k"})", "/target_bytes must not be more than head_bytes, 8k"},
      {R"({"head_bytes":"4k"})", "/head_bytes must not be less than target_bytes, 8k"},
      {R"({"answer_bytes":"128m"})", "/answer_bytes must not be more than project_buffered_bytes, 96m"},
      {R"({"project_buffered_bytes":"512m"})", "/project_buffered_bytes must not be more than buffered_bytes, 256m"},
      {R"({"connections":100})", "/connections must not be less than project_connections, 1024"},
  };
  for (const auto& [text, error] : rows) {
    CAPTURE(text);
    CHECK(wrong(std::get<json::Value>(json::parse(text))) == error);
  }
}

TEST_CASE("clients may keep idle connections for more than three minutes under every configuration") {
  for (const auto& row : http_limit_rows)
    if (row.key == "idle_time") CHECK(row.least > 180);
}

TEST_CASE("the schema has the limits of the table, each with the form of its unit") {
  const auto root = std::get<json::Value>(json::parse(configuration_schema));
  const auto* properties = json::find(root, "/definitions/http/properties");
  REQUIRE(properties != nullptr);
  CHECK(properties->members()->size() == http_limit_count);
  for (const auto& row : http_limit_rows) {
    CAPTURE(row.key);
    const auto* node = properties->find(row.key);
    REQUIRE(node != nullptr);
    const std::string form = row.unit == Unit::Bytes ? "size" : row.unit == Unit::Count ? "count" : "duration";
    CHECK(node->text("$ref") == "#/definitions/" + form);
  }
}

TEST_CASE("the documents tell the limits") {
  podfence::testing::check_table_in_document("configuration.md", setting_rows());
  podfence::testing::check_table_in_document("http-framing.md", limit_rows());
}
