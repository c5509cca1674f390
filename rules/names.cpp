#include "rules/names.hpp"

#include <algorithm>

#include "rules/ascii.hpp"
#include "rules/body/name.hpp"
#include "rules/exchange.hpp"
#include "rules/secret.hpp"

namespace podfence::rules {

namespace {

std::string prefix_of(const Project& project) { return project.id + std::string(name_separator); }

bool is_name_character(char c) { return ascii::is_alphanumeric(c) || c == '_' || c == '.' || c == '-'; }

bool is_default_network(std::string_view word) { return word == "podman" || word == "bridge" || word == "default"; }

/// Ids, and names that are complete.
bool stands_for_itself(const Project& project, Kind kind, std::string_view word) {
  return !is_name(word) || is_own_name(word) || is_private_name(project, word) ||
         (kind == Kind::Secret && is_secret_id(word)) || (kind == Kind::Network && is_default_network(word));
}

}  // namespace

bool is_private_name(const Project& project, std::string_view name) {
  return has_private_names(project) && name.starts_with(prefix_of(project));
}

std::string upstream_name(const Project& project, std::string_view name) {
  if (!has_private_names(project) || is_private_name(project, name)) return std::string(name);
  return prefix_of(project).append(name);
}

std::string_view short_name(const Project& project, std::string_view name) {
  return is_private_name(project, name) ? name.substr(prefix_of(project).size()) : name;
}

std::string_view without_any_project(std::string_view name) {
  const auto end = name.find(name_separator);
  return end != std::string_view::npos && is_project_id(name.substr(0, end)) ? name.substr(end + name_separator.size())
                                                                             : name;
}

std::string_view client_name(const Project& project, std::string_view name) {
  return project.policy.names == Names::Private ? short_name(project, name) : name;
}

std::string with_client_names(const Project& project, std::string_view text) {
  if (project.policy.names != Names::Private) return std::string(text);
  const std::string prefix = prefix_of(project);
  std::string result;
  for (std::size_t at = text.find(prefix); at != std::string_view::npos; at = text.find(prefix)) {
    const bool begins_word =
        at == 0 ? result.empty() || !is_name_character(result.back()) : !is_name_character(text[at - 1]);
    result.append(text.substr(0, begins_word ? at : at + prefix.size()));
    text.remove_prefix(at + prefix.size());
  }
  return result.append(text);
}

std::vector<std::string> upstream_words(const Project& project, Kind kind, std::string_view word) {
  std::vector<std::string> words{std::string(word)};
  if (project.policy.names != Names::Private || stands_for_itself(project, kind, word)) return words;
  words.insert(is_id_like(word) ? words.end() : words.begin(), upstream_name(project, word));
  return words;
}

std::string_view name_of(Kind kind, const json::Value& object) {
  if (kind == Kind::Secret) return secret_name(object);
  const auto name = object.text(kind == Kind::Network ? "name" : "Name");
  return name.starts_with('/') ? name.substr(1) : name;
}

std::string name_for_new(Exchange& exchange, Kind kind, const std::string& name) {
  if (!has_private_names(exchange.project)) return name;
  const Fact* there = exchange.facts.find(kind, name, true);
  const bool is_bare = there && there->ownership == Ownership::Own && name_of(kind, there->document) == name;
  return is_bare ? name : upstream_name(exchange.project, name);
}

}  // namespace podfence::rules
