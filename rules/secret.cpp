#include "rules/secret.hpp"

namespace podfence::rules {

namespace {

/// No name has it (check_new_name).
constexpr char separator = ',';

constexpr std::size_t secret_id_digits = 25;

}  // namespace

bool is_secret_id(std::string_view text) {
  return text.size() == secret_id_digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string_view secret_name(const json::Value& secret) {
  const auto* spec = secret.find("Spec");
  return spec ? spec->text("Name") : std::string_view();
}

const Fact* find_secret(Facts& facts, std::string_view word) {
  static const Fact absent;
  const Fact* secret = facts.find(Kind::Secret, word);
  if (!secret || secret->ownership != Ownership::Own) return secret;
  const Fact* named = facts.find_upstream(Kind::Secret, secret_name(secret->document));
  if (!named) return nullptr;
  return named->id == secret->id ? secret : &absent;
}

std::string environment_secrets_label(const Project& project) { return project.label_key + ".secrets"; }

std::string immutable_secret_label(const Project& project) { return project.label_key + ".immutable"; }

std::string environment_secrets_text(const std::set<std::string>& names) {
  std::string text;
  for (const auto& name : names) {
    if (!text.empty()) text += separator;
    text += name;
  }
  return text;
}

bool has_in_environment(const Project& project, const json::Value& container, std::string_view name) {
  const auto* labels = container.find("Labels");
  auto rest = labels ? labels->text(environment_secrets_label(project)) : std::string_view();
  while (!rest.empty()) {
    const auto end = std::min(rest.find(separator), rest.size());
    if (rest.substr(0, end) == name) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

}  // namespace podfence::rules
