// EnvMerge and the lines for /etc/passwd and /etc/group: texts in which Podman puts variables, in a time that grows
// with the square of what comes of them (imagebuilder: shell_parser.go), in its service, whoever waits for it.

#include <algorithm>

#include "rules/ascii.hpp"
#include "rules/body/bounds.hpp"
#include "rules/body/checks.hpp"
#include "rules/body/refuse.hpp"
#include "rules/exchange.hpp"
#include "rules/json_path.hpp"

namespace podfence::rules {

namespace {

std::optional<Deny> merge(std::string_view entry) {
  return refuse(refusal("env.merge"), entry.substr(0, entry.find('=')));
}

std::string_view value_of(std::string_view entry) { return entry.substr(std::min(entry.find('='), entry.size())); }

/// Of a list of NAME=value, or of a map.
std::size_t longest_value(const json::Value* environment) {
  std::size_t longest = 0;
  if (!environment) return longest;
  if (environment->items())
    for (const json::Value& entry : *environment->items())
      if (entry.string()) longest = std::max(longest, value_of(*entry.string()).size());
  if (environment->members())
    for (const json::Member& entry : *environment->members())
      if (entry.value.string()) longest = std::max(longest, entry.value.string()->size());
  return longest;
}

}  // namespace

/// With one variable in each, a value grows by no more than its entry.
std::optional<Deny> judge_merged_environment(json::Value& value, const Place& place) {
  if (auto deny = judge_environment(value, place)) return deny;
  const std::string& entry = *value.string();
  const bool is_short = entry.size() <= bounds::merged_entry_size && std::ranges::count(entry, '$') <= 1;
  return is_short ? std::nullopt : merge(entry);
}

std::optional<Deny> judge_account_line(json::Value& value, const Place& place) {
  const std::string& line = *value.string();
  const bool fits = line.size() <= bounds::account_line_size && std::ranges::count(line, '$') <= 8 &&
                    std::ranges::none_of(line, ascii::is_control);
  return fits ? std::nullopt : refuse(refusal("field.value"), place.path);
}

std::optional<Deny> judge_directory(json::Value& value, const Place& place) {
  const bool fits = value.string()->size() <= bounds::path_size;
  return fits ? std::nullopt : refuse(refusal("field.value"), place.path);
}

std::optional<Deny> check_merged_environment(const json::Value& content, std::string_view merged,
                                             std::string_view environment, const Place& place) {
  const json::Value* entries = content.find(merged);
  if (!entries || !entries->items() || entries->items()->empty()) return std::nullopt;
  const Fact* image = place.judged.image.empty() ? nullptr : place.exchange.facts.find(Kind::Image, place.judged.image);
  const json::Value* of_image = image ? json::at(image->document, "Config.Env") : nullptr;
  const auto longest = std::max(longest_value(content.find(environment)), longest_value(of_image));
  if (entries->items()->size() <= bounds::merged_entries && longest <= bounds::merged_value_size) return std::nullopt;
  return merge(*entries->items()->front().string());
}

}  // namespace podfence::rules
