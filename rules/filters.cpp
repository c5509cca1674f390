#include "rules/filters.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "rules/exchange.hpp"

namespace podfence::rules {

namespace {

struct Filter {
  std::string name;
  std::vector<std::string> values;
};

enum class Encoding { Lists, Maps };

struct Filters {
  Encoding encoding = Encoding::Lists;
  std::vector<Filter> filters;
};

Deny syntax_error(std::string_view what) { return {refusal("filter.syntax"), std::string(what)}; }

/// A label filter without values matches everything; what other filters without values match depends on the endpoint.
bool may_be_empty(std::string_view name) { return name == "label"; }

std::optional<std::vector<std::string>> read_list(const json::Array& items) {
  std::vector<std::string> values;
  for (const json::Value& item : items) {
    if (!item.string()) return std::nullopt;
    values.push_back(*item.string());
  }
  return values;
}

/// Podman leaves out what is false.
std::optional<std::vector<std::string>> read_map(const json::Object& members) {
  std::vector<std::string> values;
  for (const json::Member& member : members) {
    if (!member.value.boolean()) return std::nullopt;
    if (*member.value.boolean()) values.push_back(member.name);
  }
  return values;
}

std::variant<Filters, Deny> read(std::string_view text) {
  const auto parsed = json::parse(text);
  if (const auto* error = std::get_if<json::Error>(&parsed)) return syntax_error(error->what);
  const json::Value& document = std::get<json::Value>(parsed);
  if (document.is_null()) return Filters{};
  if (!document.members()) return syntax_error("no object");

  Filters result;
  std::optional<Encoding> encoding;
  for (const auto& [name, value] : *document.members()) {
    if (value.is_null()) continue;
    const Encoding own = value.members() ? Encoding::Maps : Encoding::Lists;
    if (!value.members() && !value.items()) return syntax_error(name);
    // Podman decodes the whole object in one encoding, so a mixed one has no meaning.
    if (encoding && *encoding != own) return syntax_error(name);
    encoding = own;
    auto values = own == Encoding::Maps ? read_map(*value.members()) : read_list(*value.items());
    if (!values || (values->empty() && !may_be_empty(name))) return syntax_error(name);
    if (!values->empty()) result.filters.push_back({name, *std::move(values)});
  }
  result.encoding = encoding.value_or(Encoding::Lists);
  return result;
}

std::string write(const Filters& filters) {
  json::Value document = json::Value::object();
  for (const Filter& filter : filters.filters) {
    json::Value values = filters.encoding == Encoding::Maps ? json::Value::object() : json::Value::array();
    for (const std::string& value : filter.values) {
      if (filters.encoding == Encoding::Maps)
        values.set(value, true);
      else
        values.push(value);
    }
    document.set(filter.name, std::move(values));
  }
  return json::write(document);
}

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
      return Kind::None;
    case FilterValue::Container:
      return Kind::Container;
    case FilterValue::Volume:
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

/// Resolves the filter's values in place. False where none of them is the client's.
std::variant<bool, Deny> resolve_values(Filter& filter, FilterValue type, Exchange& exchange) {
  if (type == FilterValue::Text) return true;
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

void add_own_label(Filters& filters, const Project& project) {
  const std::string label = project.label_key + '=' + project.id;
  const auto labels = std::ranges::find(filters.filters, "label", &Filter::name);
  if (labels == filters.filters.end())
    filters.filters.push_back({"label", {label}});
  else if (std::ranges::find(labels->values, label) == labels->values.end())
    labels->values.push_back(label);
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
  auto given = text ? read(*text) : Filters{};
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
  if (wants_own_label(table, filters)) add_own_label(filters, exchange.project);
  if (!filters.filters.empty()) judged.text = write(filters);
  return judged;
}

}  // namespace podfence::rules
