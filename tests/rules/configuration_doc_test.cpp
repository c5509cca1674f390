// docs/configuration.md tells every key of the schema, and the schema has every amount and resource of a policy.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "policy_files.hpp"
#include "rules/configuration_schema.hpp"
#include "rules/json_pointer.hpp"
#include "rules/policy.hpp"

using namespace podfence::rules;
using namespace podfence::tests;

namespace {

json::Value schema() { return std::get<json::Value>(json::parse(configuration_schema)); }

std::string page() { return file_text(std::string(PODFENCE_SOURCE_DIR) + "/docs/configuration.md"); }

std::string amount(Unit unit, const std::optional<std::int64_t>& number) {
  return number ? amount_text(unit, *number) : "none";
}

std::string limit_rows() {
  std::string rows = "| key in `limits` | least | default | most |\n| --- | --- | --- | --- |\n";
  for (const AmountRow& row : amount_rows)
    rows += "| `" + std::string(row.key) + "` | " + amount(row.unit, row.built_in.least) + " | " +
            amount(row.unit, row.built_in.standard) + " | " + amount(row.unit, row.built_in.most) + " |\n";
  return rows;
}

std::string quota_rows() {
  std::string rows = "| key in `quota` | default |\n| --- | --- |\n";
  for (const ResourceRow& row : resource_rows)
    rows += "| `" + std::string(row.key) + "` | " + amount(row.unit, row.built_in) + " |\n";
  return rows;
}

/// Calls with the name of every property of the schema.
void each_key(const json::Value& node, const std::function<void(const std::string&)>& call) {
  if (const json::Object* members = node.members())
    for (const auto& [name, value] : *members) {
      if (name == "properties")
        for (const auto& [key, unused] : *value.members()) call(key);
      each_key(value, call);
    }
}

std::vector<std::string> names(const json::Value& root, std::string_view pointer) {
  std::vector<std::string> result;
  const json::Value* properties = json::find(root, pointer);
  REQUIRE(properties != nullptr);
  for (const auto& [name, value] : *properties->members()) result.push_back(name);
  return result;
}

}  // namespace

TEST_CASE("docs/configuration.md tells every key, limit and quota with its default") {
  const std::string text = page();
  std::size_t keys = 0;
  each_key(schema(), [&](const std::string& key) {
    CAPTURE(key);
    const bool told =
        std::ranges::any_of(std::array{"`" + key + "`", "." + key + "`", "`" + key + "."},
                            [&](const std::string& word) { return text.find(word) != std::string::npos; });
    CHECK(told);
    ++keys;
  });
  CHECK(keys > 80);
  const std::string limits = limit_rows(), quotas = quota_rows();
  CHECK_MESSAGE(text.find(limits) != std::string::npos, "the table of limits must be:\n" << limits);
  CHECK_MESSAGE(text.find(quotas) != std::string::npos, "the table of quotas must be:\n" << quotas);
}

TEST_CASE("docs/configuration.md tells the default set of capabilities") {
  const std::string text = page();
  std::string set;
  for (const auto& name : Privileges{}.capabilities) set += (set.empty() ? "`" : ", `") + name + "`";
  CHECK(text.find(set) != std::string::npos);
}

TEST_CASE("the schema has the amounts and resources of the tables, each with the form of its unit") {
  using Units = std::vector<Unit>;
  const std::map<std::string_view, Units> forms = {{"sizes", {Unit::Bytes}},
                                                   {"size", {Unit::Bytes}},
                                                   {"counts", {Unit::Count}},
                                                   {"quota_count", {Unit::Count}},
                                                   {"processor_limits", {Unit::Processors}},
                                                   {"summed_processors", {Unit::Processors}},
                                                   {"durations", {Unit::Seconds, Unit::Nanoseconds}}};
  const json::Value root = schema();
  const auto check = [&](const std::string& where, std::string_view key, Unit unit) {
    CAPTURE(key);
    const json::Value* node = json::find(root, where + std::string(key));
    REQUIRE(node != nullptr);
    const std::string_view reference = node->text("$ref");
    const Units& units = forms.at(reference.substr(reference.rfind('/') + 1));
    CHECK(std::ranges::find(units, unit) != units.end());
  };
  for (const AmountRow& row : amount_rows) check("/definitions/limits/properties/", row.key, row.unit);
  for (const ResourceRow& row : resource_rows) check("/definitions/quota/properties/", row.key, row.unit);
  CHECK(names(root, "/definitions/limits/properties").size() == amount_count);
  CHECK(names(root, "/definitions/quota/properties").size() == resource_count);
}

TEST_CASE("a policy file, defaults and a project take the same keys, but for the few that are theirs") {
  const json::Value root = schema();
  const auto policy = names(root, "/definitions/policy/properties");
  auto defaults = names(root, "/definitions/defaults/properties");
  auto project = names(root, "/definitions/project/properties");
  std::erase(defaults, "policy");
  for (const auto* own : {"policy", "socket", "lease", "holder", "teardown"}) std::erase(project, own);
  CHECK(defaults == policy);
  CHECK(project == policy);
}

TEST_CASE("the built-in schema is the shipped file") {
  CHECK(file_text(std::string(PODFENCE_SOURCE_DIR) + "/rules/configuration.schema.json") == configuration_schema);
}
