#include "rules/query.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "rules/ascii.hpp"
#include "rules/body.hpp"
#include "rules/body/bounds.hpp"
#include "rules/container/settle.hpp"
#include "rules/contains.hpp"
#include "rules/exchange.hpp"
#include "rules/names.hpp"
#include "rules/out_of_bounds.hpp"
#include "rules/process_columns.hpp"
#include "rules/query_table.hpp"

namespace podfence::rules {

namespace {

using Values = std::vector<std::string>;
using Judged = std::variant<Values, Deny>;  ///< what to send of one parameter

bool is_list(ParameterType type) {
  switch (type) {
    case ParameterType::PsArguments:
    case ParameterType::Texts:
    case ParameterType::Containers:
    case ParameterType::Pods:
      return true;
    case ParameterType::TextList:
    case ParameterType::Text:
    case ParameterType::DetachKeys:
    case ParameterType::Path:
    case ParameterType::Boolean:
    case ParameterType::Integer:
    case ParameterType::Unsigned:
    case ParameterType::Restarts:
    case ParameterType::StopSeconds:
    case ParameterType::Signal:
    case ParameterType::NewName:
    case ParameterType::Renames:
    case ParameterType::ArchiveFormat:
    case ParameterType::Interval:
    case ParameterType::Filters:
      return false;
  }
  return false;
}

/// Go's strconv.ParseBool, and what gorilla/schema adds.
std::optional<bool> libpod_boolean(std::string_view value) {
  static constexpr auto yes = std::to_array<std::string_view>({"1", "t", "T", "true", "TRUE", "True", "on"});
  static constexpr auto no = std::to_array<std::string_view>({"", "0", "f", "F", "false", "FALSE", "False", "off"});
  if (contains(yes, value)) return true;
  if (contains(no, value)) return false;
  return std::nullopt;
}

/// Docker's truth, as Podman reads it since 4.7. What 4.3 reads the other way ("f") or not at all ("2") is left out,
/// but for the words that people write.
std::optional<bool> docker_boolean(std::string_view value) {
  static constexpr auto yes = std::to_array<std::string_view>({"1", "t", "true", "yes", "on"});
  static constexpr auto no = std::to_array<std::string_view>({"", "0", "false", "no", "none"});
  const std::string word = ascii::lower(value);
  if (contains(yes, word)) return true;
  if (contains(no, word)) return false;
  return std::nullopt;
}

std::optional<bool> read_boolean(Family family, std::string_view value) {
  return family == Family::Libpod ? libpod_boolean(value) : docker_boolean(value);
}

bool is_unsigned(std::string_view value) {
  constexpr std::size_t max_digits = 18;
  return !value.empty() && value.size() <= max_digits && std::ranges::all_of(value, ascii::is_digit);
}

bool is_integer(std::string_view value) { return is_unsigned(value.substr(value.starts_with('-') ? 1 : 0)); }

bool is_text(std::string_view value) { return std::ranges::none_of(value, ascii::is_control); }

bool is_signal(std::string_view value) {
  constexpr std::size_t longest = 16;
  return value.size() <= longest &&
         std::ranges::all_of(value, [](char c) { return ascii::is_alphanumeric(c) || c == '+' || c == '-'; });
}

/// As Go's time.ParseDuration reads it, with one unit. Podman goes through its database every time (libpod:
/// WaitForConditionWithInterval), so that what is shorter would keep it busy for everybody.
std::optional<std::string> read_interval(std::string_view value) {
  struct Row {
    std::string_view unit;
    std::int64_t least;  ///< of that unit, in the shortest interval
  };
  static constexpr auto units =
      std::to_array<Row>({{"ns", 100'000'000}, {"us", 100'000}, {"ms", 100}, {"s", 1}, {"m", 1}, {"h", 1}});
  const auto digits = std::min(value.find_first_not_of("0123456789"), value.size());
  const auto row = std::ranges::find(units, value.substr(digits), &Row::unit);
  if (!is_unsigned(value.substr(0, digits)) || row == units.end()) return std::nullopt;
  std::int64_t number = 0;
  std::from_chars(value.data(), value.data() + digits, number);
  return number < row->least ? "100ms" : std::string(value);
}

bool is_archive_format(std::string_view value) {
  static constexpr auto formats =
      std::to_array<std::string_view>({"", "docker-archive", "oci-archive", "docker-dir", "oci-dir"});
  return contains(formats, value);
}

/// Compact and with unique names: Go would take the last of two.
std::optional<std::string> read_renames(std::string_view value) {
  const auto parsed = json::parse(value);
  const json::Value* document = std::get_if<json::Value>(&parsed);
  if (!document || !document->members()) return std::nullopt;
  for (const json::Member& member : *document->members())
    if (!member.value.string()) return std::nullopt;
  return json::write(*document);
}

/// Compact.
std::optional<std::string> read_text_list(std::string_view value) {
  const auto parsed = json::parse(value);
  const json::Value* document = std::get_if<json::Value>(&parsed);
  if (!document || (!document->items() && !document->is_null())) return std::nullopt;
  if (document->is_null()) return "[]";
  const bool texts = std::ranges::all_of(*document->items(), [](const json::Value& item) { return item.string(); });
  return texts ? std::optional(json::write(*document)) : std::nullopt;
}

Deny bad_value(const Parameter& parameter) {
  std::string subject(parameter.name);
  if (parameter.type == ParameterType::PsArguments)
    subject += ", columns of ps: -ef, aux, or some as in -o pid,user,args";
  if (parameter.type == ParameterType::Interval) subject += ", a number and its unit such as 250ms";
  return {refusal("query.value"), std::move(subject)};
}
Deny refused(const Parameter& parameter) { return {refusal("query.refused"), std::string(parameter.name)}; }

/// Names of own objects become their full ids; without any, all of the project's that run are meant, where Podman would
/// take everybody's.
Judged judge_names(Kind kind, const Values& names, Exchange& exchange) {
  Values ids;
  for (const std::string& name : names) {
    const Fact* fact = exchange.facts.find(kind, name);
    if (fact && fact->ownership != Ownership::Own) return hidden(kind, name);
    if (fact) ids.push_back(fact->id);
  }
  if (!names.empty()) return ids;
  const json::Array* own = exchange.facts.list(kind);
  if (!own) return ids;
  for (const json::Value& object : *own) {
    const std::string state = ascii::lower(object.text(kind == Kind::Pod ? "Status" : "State"));
    if (state == "running" || state == "degraded") ids.emplace_back(object.text("Id"));
  }
  return ids;
}

/// Values that need no facts; nullopt where one is not of the type.
std::optional<Values> read_plain(ParameterType type, const Values& values, Family family) {
  Values result;
  const auto keep_if = [&](bool (*holds)(std::string_view)) {
    result = values;
    return std::ranges::all_of(values, holds) ? std::optional(result) : std::nullopt;
  };
  switch (type) {
    case ParameterType::Text:
    case ParameterType::Texts:
    case ParameterType::DetachKeys:
      return keep_if(is_text);
    case ParameterType::Path:
      return values;
    case ParameterType::Boolean: {
      const auto truth = read_boolean(family, values.front());
      return truth ? std::optional(Values{*truth ? "true" : "false"}) : std::nullopt;
    }
    case ParameterType::Integer:
      return keep_if(is_integer);
    case ParameterType::Unsigned:
    case ParameterType::Restarts:
      return keep_if(is_unsigned);
    case ParameterType::Signal:
      return keep_if(is_signal);
    case ParameterType::PsArguments: {
      auto columns = process_columns(values);
      return columns ? std::optional(Values{*std::move(columns)}) : std::nullopt;
    }
    case ParameterType::Interval: {
      auto interval = read_interval(values.front());
      return interval ? std::optional(Values{*std::move(interval)}) : std::nullopt;
    }
    case ParameterType::ArchiveFormat:
      return keep_if(is_archive_format);
    case ParameterType::Renames: {
      auto renames = read_renames(values.front());
      return renames ? std::optional(Values{*std::move(renames)}) : std::nullopt;
    }
    case ParameterType::TextList: {
      auto list = read_text_list(values.front());
      return list ? std::optional(Values{*std::move(list)}) : std::nullopt;
    }
    case ParameterType::StopSeconds:
    case ParameterType::NewName:
    case ParameterType::Containers:
    case ParameterType::Pods:
    case ParameterType::Filters:
      return values;
  }
  return std::nullopt;
}

/// Types for which an empty value says the same as none, and is an error to some handlers.
bool is_unsaid(ParameterType type, const Values& values) {
  const bool empty_is_absent = type == ParameterType::Integer || type == ParameterType::Unsigned ||
                               type == ParameterType::Restarts || type == ParameterType::StopSeconds ||
                               type == ParameterType::Signal || type == ParameterType::NewName ||
                               type == ParameterType::Renames || type == ParameterType::TextList ||
                               type == ParameterType::ArchiveFormat || type == ParameterType::Interval;
  return (values.empty() && type != ParameterType::PsArguments) || (empty_is_absent && values.front().empty());
}

std::optional<Deny> check_restarts(const Parameter& parameter, const std::string& value, const Policy& policy) {
  const auto number = json::Value(json::Number{value}).int64().value_or(INT64_MAX);
  if (number > bounds::restart_count.most)
    return out_of_bounds(parameter.name, value, "most", std::to_string(bounds::restart_count.most));
  return settle_amount({Amount::Restarts, number, parameter.name, true}, policy);
}

bool is_negative(std::string_view value) { return value.starts_with('-') && is_integer(value); }

/// What podman sends for its own -1 (libpod: util.ConvertTimeout, and a mere cast).
bool is_podmans_for_ever(std::string_view value) { return value == "4294967295" || value == "18446744073709551615"; }

/// While Podman waits for a container it holds a lock that lists of others wait for: that of the volume or the pod.
Judged judge_stop_seconds(const Parameter& parameter, const std::string& value, const Exchange& exchange) {
  // Less than 0 is to a pod what each container has for itself (libpod: Pod.StopWithTimeout).
  if (is_negative(value) && exchange.match.endpoint->subject == Kind::Pod) return Values{};
  std::int64_t seconds = bounds::stop_seconds.most;
  if (!is_negative(value) && !is_podmans_for_ever(value)) {
    if (!is_unsigned(value)) return bad_value(parameter);
    std::from_chars(value.data(), value.data() + value.size(), seconds);
  }
  if (seconds > bounds::stop_seconds.most)
    return out_of_bounds(parameter.name, value, "most", std::to_string(bounds::stop_seconds.most));
  auto settled = settled_amount({Amount::StopTimeout, seconds, parameter.name, true}, exchange.project.policy);
  if (auto* denied = std::get_if<Deny>(&settled)) return std::move(*denied);
  return Values{std::to_string(std::get<std::int64_t>(settled))};
}

Judged pass(const Parameter& parameter, const Values& values, Exchange& exchange) {
  if (is_unsaid(parameter.type, values)) return Values{};
  if (parameter.type == ParameterType::StopSeconds) return judge_stop_seconds(parameter, values.front(), exchange);
  auto plain = read_plain(parameter.type, values, exchange.match.endpoint->family);
  if (!plain) return bad_value(parameter);
  if (is_list(parameter.type)) std::erase(*plain, "");  // gorilla/schema leaves them out of a list
  if (parameter.type == ParameterType::Restarts)
    if (auto denied = check_restarts(parameter, values.front(), exchange.project.policy)) return *std::move(denied);
  if (parameter.type != ParameterType::NewName) return *std::move(plain);
  if (auto denied = check_new_name(values.front(), exchange.project)) return *std::move(denied);
  const bool of_secret = exchange.match.endpoint->query == Query::SecretCreate;
  return Values{name_for_new(exchange, of_secret ? Kind::Secret : Kind::Container, values.front())};
}

/// Says nothing: empty, the zero value of its type, or JSON without anything in it.
bool is_unset(const Parameter& parameter, const Values& values, Family family) {
  return std::ranges::all_of(values, [&](const std::string& value) {
    if (value.empty() || value == "[]" || value == "{}" || value == "null") return true;
    return parameter.type == ParameterType::Boolean ? read_boolean(family, value) == false : value == "0";
  });
}

/// Everything but filters and names, which need more than their values.
Judged judge_values(const Parameter& parameter, const Values& values, Exchange& exchange) {
  const Family family = exchange.match.endpoint->family;
  switch (parameter.rule) {
    case ParameterRule::Pass:
      return pass(parameter, values, exchange);
    case ParameterRule::Judged:
      if (parameter.type == ParameterType::Boolean && !values.empty() && !read_boolean(family, values.front()))
        return bad_value(parameter);
      return Values{};
    case ParameterRule::Drop:
      return Values{};
    case ParameterRule::OnlyUnset:
      if (!is_unset(parameter, values, family)) return refused(parameter);
      return Values{};
    case ParameterRule::OnlyTrue:
      if (!values.empty() && read_boolean(family, values.front()) != true) return refused(parameter);
      return Values{};
    case ParameterRule::Force:
      return Values{std::string(parameter.forced)};
  }
  return refused(parameter);
}

std::optional<Deny> check_repetition(const Parameter& parameter, Values& values) {
  if (is_list(parameter.type) || values.size() < 2) return std::nullopt;
  const bool all_the_same = std::ranges::adjacent_find(values, std::ranges::not_equal_to{}) == values.end();
  if (parameter.type != ParameterType::DetachKeys || !all_the_same)
    return Deny{refusal("query.repeated"), std::string(parameter.name)};
  values.resize(1);
  return std::nullopt;
}

std::set<std::string_view> member_names(const std::optional<json::Value>& content) {
  std::set<std::string_view> names;
  if (content && content->members())
    for (const json::Member& member : *content->members()) names.insert(member.name);
  return names;
}

std::optional<Deny> check_known(std::span<const Parameter> parameters, const Request& request) {
  // dockerode says the members of a content again in the query, where Podman does not look for them. Never sent.
  std::optional<std::set<std::string_view>> repeated;
  for (const QueryPair& pair : request.target.query) {
    const bool known = std::ranges::any_of(
        parameters, [&](const Parameter& parameter) { return ascii::equal_caseless(parameter.name, pair.name); });
    if (known) continue;
    if (!repeated) repeated = member_names(request.content);
    if (!repeated->contains(pair.name)) return Deny{refusal("query.unknown"), pair.name};
  }
  return std::nullopt;
}

struct Judge {
  const FilterTable& filters;
  Exchange& exchange;
  JudgedQuery result;

  std::optional<Deny> judge(const Parameter& parameter) {
    Values values = values_of(exchange.request.target, parameter.name);
    if (auto denied = check_repetition(parameter, values)) return denied;
    if (parameter.type == ParameterType::Filters) return judge_filters_of(values);
    Judged judged =
        is_names(parameter.type) ? judge_own(parameter.type, values) : judge_values(parameter, values, exchange);
    if (auto* denied = std::get_if<Deny>(&judged)) return std::move(*denied);
    for (std::string& value : std::get<Values>(judged))
      result.pairs.push_back({std::string(parameter.name), std::move(value)});
    return std::nullopt;
  }

 private:
  static bool is_names(ParameterType type) { return type == ParameterType::Containers || type == ParameterType::Pods; }

  Judged judge_own(ParameterType type, const Values& names) {
    auto ids = judge_names(type == ParameterType::Pods ? Kind::Pod : Kind::Container, names, exchange);
    if (const Values* values = std::get_if<Values>(&ids); values && values->empty()) result.nothing = true;
    return ids;
  }

  std::optional<Deny> judge_filters_of(const Values& values) {
    auto judged = judge_filters(filters, values.empty() ? nullptr : &values.front(), exchange);
    if (auto* denied = std::get_if<Deny>(&judged)) return std::move(*denied);
    auto& [text, nothing] = std::get<JudgedFilters>(judged);
    result.nothing = result.nothing || nothing;
    if (!text.empty()) result.pairs.push_back({"filters", std::move(text)});
    return std::nullopt;
  }
};

}  // namespace

std::variant<JudgedQuery, Deny> judge_query(Query query, Exchange& exchange) {
  const auto parameters = parameters_of(query);
  if (auto denied = check_known(parameters, exchange.request)) return *std::move(denied);
  Judge judge{filters_of(query), exchange, {}};
  for (const Parameter& parameter : parameters)
    if (auto denied = judge.judge(parameter)) return *std::move(denied);
  return std::move(judge.result);
}

bool repeats_query(const json::Value& content, const Target& target) {
  if (!content.members()) return false;
  std::map<std::string, Values> said;
  for (const QueryPair& pair : target.query) said[ascii::lower(pair.name)].push_back(pair.value);
  return std::ranges::all_of(*content.members(), [&](const json::Member& member) {
    const std::string* text = member.value.string();
    const auto values = said.find(ascii::lower(member.name));
    return values != said.end() && values->second == Values{text ? *text : json::write(member.value)};
  });
}

bool is_said(const Exchange& exchange, std::string_view name, bool absent) {
  const auto value = value_of(exchange.request.target, name);
  return value.empty() ? absent : read_boolean(exchange.match.endpoint->family, value).value_or(absent);
}

std::string value_of(const Target& target, std::string_view name) {
  const auto values = values_of(target, name);
  return values.empty() ? "" : values.front();
}

void set_value(std::vector<QueryPair>& pairs, std::string_view name, std::string value) {
  std::erase_if(pairs, [&](const QueryPair& pair) { return pair.name == name; });
  if (!value.empty()) pairs.push_back({std::string(name), std::move(value)});
}

std::vector<std::string> values_of(const Target& target, std::string_view name) {
  std::vector<std::string> values;
  for (const QueryPair& pair : target.query)
    if (ascii::equal_caseless(pair.name, name)) values.push_back(pair.value);
  return values;
}

}  // namespace podfence::rules
