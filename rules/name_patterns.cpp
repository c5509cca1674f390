#include "rules/name_patterns.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

#include "rules/filter_text.hpp"
#include "rules/names.hpp"
#include "rules/query.hpp"

namespace podfence::rules {

namespace {

constexpr std::int64_t most_memory = 1 << 20;  // bytes, of each pattern
constexpr std::size_t most_patterns = 64;

/// Any of a filter's patterns. One that is none matches nothing, as in Podman.
class Patterns {
 public:
  explicit Patterns(const std::vector<std::string>& texts) {
    RE2::Options options(RE2::Quiet);
    options.set_max_mem(most_memory);
    for (const auto& text : texts)
      if (patterns_.size() < most_patterns) patterns_.push_back(std::make_unique<RE2>(without_slash(text), options));
  }

  bool match(std::string_view name) const {
    const re2::StringPiece text(name.data(), name.size());
    return std::ranges::any_of(patterns_,
                               [&](const auto& pattern) { return pattern->ok() && RE2::PartialMatch(text, *pattern); });
  }

 private:
  /// Docker's names begin with one, and its clients say so: `^/web$`.
  static std::string without_slash(const std::string& text) {
    if (text.starts_with('/')) return text.substr(1);
    return text.starts_with("^/") ? "^" + text.substr(2) : text;
  }

  std::vector<std::unique_ptr<RE2>> patterns_;
};

/// The clients' names of a list's item, in either family.
std::vector<std::string_view> names_in(const Project& project, const json::Value& item) {
  std::vector<std::string_view> names;
  const auto add = [&](std::string_view name) {
    if (name.starts_with('/')) name.remove_prefix(1);
    if (!name.empty()) names.push_back(client_name(project, name));
  };
  for (const auto& name : item.list("Names"))
    if (name.string()) add(*name.string());
  for (const auto* member : {"Name", "name", "Names"}) add(item.text(member));
  if (const auto* spec = item.find("Spec")) add(spec->text("Name"));
  return names;
}

/// Of a pod's members.
std::vector<std::string_view> member_names(const Project& project, const json::Value& pod) {
  std::vector<std::string_view> names;
  for (const auto& member : pod.list("Containers"))
    std::ranges::copy(names_in(project, member), std::back_inserter(names));
  return names;
}

/// The client's; nullopt where upstream looks at the names.
std::optional<Filters> filters_here(const Exchange& exchange) {
  if (exchange.project.policy.names != Names::Private) return std::nullopt;
  auto read = read_filters(value_of(exchange.request.target, "filters"));
  auto* filters = std::get_if<Filters>(&read);
  return filters ? std::optional(std::move(*filters)) : std::nullopt;
}

}  // namespace

void keep_wanted_names(const Exchange& exchange, json::Array& items) {
  auto filters = filters_here(exchange);
  if (!filters) return;
  const auto keep = [&](std::string_view key, auto names_of_item) {
    const auto* texts = filters->values_of(key);
    if (!texts) return;
    const Patterns patterns(*texts);
    std::erase_if(items, [&](const json::Value& item) {
      return std::ranges::none_of(names_of_item(exchange.project, item),
                                  [&](std::string_view name) { return patterns.match(name); });
    });
  };
  keep("name", names_in);
  keep("ctr-names", member_names);
}

std::optional<std::size_t> counted_here(const Exchange& exchange) {
  auto filters = filters_here(exchange);
  if (!filters || !filters->values_of("name")) return std::nullopt;
  for (const auto* parameter : {"last", "limit"}) {  // two words for one thing
    const auto text = value_of(exchange.request.target, parameter);
    std::size_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec == std::errc() && number > 0) return number;
  }
  return std::nullopt;
}

}  // namespace podfence::rules
