#include "rules/filter_text.hpp"

#include <algorithm>
#include <optional>

#include "rules/contains.hpp"
#include "rules/json.hpp"

namespace podfence::rules {

namespace {

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

}  // namespace

std::vector<std::string>* Filters::values_of(std::string_view name) {
  const auto place = std::ranges::find(filters, name, &Filter::name);
  return place == filters.end() ? nullptr : &place->values;
}

std::variant<Filters, Deny> read_filters(std::string_view text) {
  const auto parsed = json::parse(text);
  if (const auto* error = std::get_if<json::Error>(&parsed)) return syntax_error(error->text());
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

std::string write_filters(const Filters& filters) {
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

void add_own_label(Filters& filters, const Project& project) {
  const std::string label = project.label_key + '=' + project.id;
  auto* labels = filters.values_of("label");
  if (!labels)
    filters.filters.push_back({"label", {label}});
  else if (!contains(*labels, label))
    labels->push_back(label);
}

}  // namespace podfence::rules
