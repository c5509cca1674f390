#include "rules/registry_auth.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "rules/ascii.hpp"
#include "rules/base64.hpp"
#include "rules/contains.hpp"
#include "rules/json.hpp"

namespace podfence::rules {

namespace {

/// The text members of Docker's AuthConfig. `auth` is user and password in one.
constexpr auto known_members = std::to_array<std::string_view>(
    {"username", "password", "auth", "email", "serveraddress", "identitytoken", "registrytoken"});
constexpr auto secrets = std::to_array<std::string_view>({"username", "auth", "identitytoken", "registrytoken"});

/// One set of credentials, with known members only; nullopt when it is no such set.
std::optional<json::Value> credentials(const json::Value& value) {
  if (!value.members()) return std::nullopt;
  auto clean = json::Value::object();
  for (const auto& member : *value.members()) {
    const auto name = ascii::lower(member.name);
    const bool known = contains(known_members, name);
    if (!known || clean.find(name) || (!member.value.string() && !member.value.is_null())) return std::nullopt;
    clean.set(name, member.value.is_null() ? json::Value("") : member.value);  // docker-py has no "email"
  }
  return clean;
}

bool is_empty(const json::Value& credentials) {
  return std::ranges::all_of(secrets, [&](std::string_view name) { return credentials.text(name).empty(); });
}

/// Credentials for no registry there is: Podman then looks nowhere else.
Field nobody() {
  return {"X-Registry-Config", encode_base64(R"({"podfence.invalid":{"username":"nobody","password":"nobody"}})")};
}

Deny deny_credentials(std::string_view why) { return {refusal("registry.credentials"), std::string(why), Kind::None}; }

}  // namespace

std::variant<Field, Deny> registry_credentials(std::string_view client) {
  if (client.empty()) return nobody();
  const auto text = decode_base64(client);
  if (!text) return deny_credentials("not base64");
  const auto parsed = json::parse(*text);
  const auto* value = std::get_if<json::Value>(&parsed);
  if (!value) return deny_credentials("not JSON");
  if (value->is_zero()) return nobody();
  if (const auto single = credentials(*value))
    return is_empty(*single) ? nobody() : Field{"X-Registry-Auth", encode_base64(json::write(*single))};
  if (!value->members()) return deny_credentials("no JSON object");
  auto map = json::Value::object();
  for (const auto& member : *value->members()) {
    auto entry = credentials(member.value);
    if (!entry) return deny_credentials("an unknown or repeated member");
    if (!is_empty(*entry)) map.set(member.name, std::move(*entry));
  }
  if (map.members()->empty()) return nobody();
  return Field{"X-Registry-Auth", encode_base64(json::write(map))};
}

}  // namespace podfence::rules
