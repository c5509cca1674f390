// The registry of a login.

#include "rules/body/checks.hpp"
#include "rules/exchange.hpp"
#include "rules/image_name.hpp"
#include "rules/registry.hpp"

namespace podfence::rules {

/// Docker's command line says `https://index.docker.io/v1/` for its own.
std::optional<Deny> judge_registry(json::Value& value, const Place& place) {
  std::string_view host = *value.string();
  if (host.starts_with("https://")) host.remove_prefix(std::string_view("https://").size());
  host = registry_of(host);
  if (host.empty() || host == "index.docker.io") host = "docker.io";
  if (!is_registry_syntax(host)) return Deny{refusal("field.value"), place.path, Kind::None};
  if (auto deny = check_registry_host(place.exchange.project, host)) return deny;
  value = std::string(host);
  return std::nullopt;
}

}  // namespace podfence::rules
