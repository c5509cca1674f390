// Secrets that containers are given, and what a new one may say.

#include "rules/body/checks.hpp"
#include "rules/body/refuse.hpp"
#include "rules/exchange.hpp"
#include "rules/names.hpp"
#include "rules/secret.hpp"

namespace podfence::rules {

namespace {

/// The secret that a word stands for; nullptr while that is not known.
std::variant<const Fact*, Deny> own_secret(const std::string& word, const Place& place) {
  if (word.empty()) return hidden(Kind::Secret, word);
  const Fact* fact = find_secret(place.exchange.facts, word);
  if (fact && fact->ownership != Ownership::Own) return hidden(Kind::Secret, word);
  return fact;
}

}  // namespace

std::optional<Deny> judge_secret(json::Value& value, const Place& place) {
  auto found = own_secret(std::string(value.text("Source")), place);
  if (auto* deny = std::get_if<Deny>(&found)) return std::move(*deny);
  const Fact* fact = std::get<const Fact*>(found);
  if (!fact) return std::nullopt;
  value.set("Source", fact->id);
  // The file would be called as upstream calls the secret.
  const auto name = secret_name(fact->document);
  if (is_private_name(place.exchange.project, name) && value.text("Target").empty())
    value.set("Target", short_name(place.exchange.project, name));
  return std::nullopt;
}

std::optional<Deny> judge_environment_secret(json::Value& value, const Place& place) {
  auto found = own_secret(*value.string(), place);
  if (auto* deny = std::get_if<Deny>(&found)) return std::move(*deny);
  const Fact* fact = std::get<const Fact*>(found);
  if (!fact) return std::nullopt;
  place.judged.environment_secrets.emplace(secret_name(fact->document));
  value = fact->id;
  return std::nullopt;
}

std::optional<Deny> judge_secret_driver(json::Value& value, const Place&) {
  return *value.string() == secret_driver_name ? std::nullopt : refuse(refusal("secret.driver"), *value.string());
}

/// Said in any case: the engine may have another one as its default.
std::optional<Deny> finish_secret(json::Value& content, const Place& place) {
  json::Value driver = json::Value::object();
  driver.set("Name", secret_driver_name);
  content.set("Driver", std::move(driver));
  return finish_labels_compat(content, place);
}

}  // namespace podfence::rules
