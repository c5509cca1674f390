#include "rules/registry.hpp"

#include <algorithm>

#include "rules/ascii.hpp"
#include "rules/image_name.hpp"
#include "rules/refusal.hpp"

namespace podfence::rules {

namespace {

/// `registry.example.org`, perhaps with a port. The last part of an address is a number.
bool has_domain(std::string_view registry) {
  const auto host = registry.substr(0, registry.find(':'));
  const auto dot = host.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return false;
  const auto last = host.substr(dot + 1);
  return !last.empty() && ascii::is_lower(ascii::lower(last).front()) && last != "localhost";
}

Deny deny_registry(std::string_view name) { return {refusal("registry.refused"), std::string(name), Kind::None}; }

template <class Matches>
std::optional<Deny> check(const Project& project, std::string_view name, Matches matches) {
  const auto& patterns = project.policy.registries;
  const bool allowed = patterns ? std::ranges::any_of(*patterns, matches) : has_domain(registry_of(name));
  return allowed ? std::nullopt : std::optional(deny_registry(name));
}

}  // namespace

std::string_view registry_of(std::string_view normalised) { return normalised.substr(0, normalised.find('/')); }

std::optional<Deny> check_registry(const Project& project, std::string_view normalised) {
  return check(project, normalised, [&](const std::string& pattern) {
    const bool of_path = pattern.find('/') != std::string::npos;
    return matches_pattern(pattern, of_path ? repository_of(normalised) : registry_of(normalised));
  });
}

std::optional<Deny> check_registry_host(const Project& project, std::string_view host) {
  return check(project, host, [&](const std::string& pattern) { return matches_pattern(registry_of(pattern), host); });
}

}  // namespace podfence::rules
