#include "rules/filters.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "rules/body/name.hpp"
#include "rules/exchange.hpp"
#include "rules/filter_text.hpp"
#include "rules/names.hpp"

namespace podfence::rules {

namespace {

bool is_usable(const Fact& fact) { return fact.ownership == Ownership::Own || fact.ownership == Ownership::Shared; }

/// What one value becomes: text to send on, or nothing where it names what the client has not.
struct Resolved {
  std::optional<std::string> text;
  bool known = true;
};

Resolved resolve(Kind kind, std::string_view name, Exchange& exchange) {
  const Fact* fact = exchange.facts.find(kind, name);
  if (!fact) return {std::nullopt, false};
  if (!is_usable(*fact)) return {};
  return {fact->id};
}

/// `network=container:NAME` asks for those that share a container's network.
Resolved resolve_network(std::string_view value, Exchange& exchange) {
  constexpr std::string_view of_container = "container:";
  if (!value.starts_with(of_container)) return resolve(Kind::Network, value, exchange);
  auto resolved = resolve(Kind::Container, value.substr(of_container.size()), exchange);
  if (resolved.text) resolved.text->insert(0, of_container);
  return resolved;
}

Kind kind_of(FilterValue value) {
  switch (value) {
    case FilterValue::Text:
    case FilterValue::Name:
    case FilterValue::EventName:
      return Kind::None;
    case FilterValue::Container:
      return Kind::Container;
    case FilterValue::Volume:
    case FilterValue::Mounted:
      return Kind::Volume;
    case FilterValue::Image:
    case FilterValue::ImageOfContainer:
      return Kind::Image;
    case FilterValue::PodOfContainer:
      return Kind::Pod;
    case FilterValue::NetworkOfContainer:
      return Kind::Network;
  }
  return Kind::None;
}

bool fails_when_missing(FilterValue value) {
  return value == FilterValue::Container || value == FilterValue::Volume || value == FilterValue::Image;
}

/// Any of them: values of one filter are joined by OR.
std::vector<std::string> all_words(const Filter& filter, const Project& project) {
  std::vector<std::string> words;
  for (const std::string& value : filter.values)
    for (std::string& word : upstream_words(project, Kind::None, value)) words.push_back(std::move(word));
  return words;
}

/// What is no volume of the client's is a path, or matches nothing.
void resolve_mounted(Filter& filter, Exchange& exchange) {
  for (std::string& value : filter.values)
    if (const Fact* volume = is_name(value) ? exchange.facts.find(Kind::Volume, value) : nullptr;
        volume && volume->ownership == Ownership::Own)
      value = volume->id;
}

/// Resolves the filter's values in place. False where none of them is the client's.
std::variant<bool, Deny> resolve_values(Filter& filter, FilterValue type, Exchange& exchange) {
  if (type == FilterValue::EventName) filter.values = all_words(filter, exchange.project);
  if (type == FilterValue::Mounted && has_private_names(exchange.project)) resolve_mounted(filter, exchange);
  if (!is_looked_up(type)) return true;
  const Kind kind = kind_of(type);
  std::vector<std::string> resolved;
  bool all_known = true;
  for (const std::string& value : filter.values) {
    auto [text, known] = kind == Kind::Network ? resolve_network(value, exchange) : resolve(kind, value, exchange);
    all_known = all_known && known;
    if (text)
      resolved.push_back(*std::move(text));
    else if (known && fails_when_missing(type))
      return hidden(kind, value);
  }
  const bool nothing = all_known && resolved.empty();
  filter.values = std::move(resolved);
  return !nothing;
}

FilterValue value_of(const FilterTable& table, const Filter& filter) {
  return std::ranges::find(table.keys, filter.name, &FilterKey::name)->value;
}

bool wants_own_label(const FilterTable& table, const Filters& filters) {
  switch (table.own_label) {
    case OwnLabel::Always:
      return true;
    case OwnLabel::BesideOthers:
      return !filters.filters.empty();
    case OwnLabel::Never:
      return false;
  }
  return false;
}

}  // namespace

std::variant<JudgedFilters, Deny> judge_filters(const FilterTable& table, const std::string* text, Exchange& exchange) {
  auto given = text ? read_filters(*text) : Filters{};
  if (const auto* denied = std::get_if<Deny>(&given)) return *denied;
  auto& filters = std::get<Filters>(given);
  JudgedFilters judged;
  for (Filter& filter : filters.filters) {
    const auto key = std::ranges::find(table.keys, filter.name, &FilterKey::name);
    if (key == table.keys.end()) return Deny{refusal("filter.unknown"), filter.name};
    const auto matches = resolve_values(filter, key->value, exchange);
    if (const auto* denied = std::get_if<Deny>(&matches)) return *denied;
    judged.nothing = judged.nothing || !std::get<bool>(matches);
  }
  if (exchange.project.policy.names == Names::Private)
    std::erase_if(filters.filters, [&](const Filter& filter) { return value_of(table, filter) == FilterValue::Name; });
  if (wants_own_label(table, filters)) add_own_label(filters, exchange.project);
  if (!filters.filters.empty()) judged.text = write_filters(filters);
  return judged;
}

}  // namespace podfence::rules
