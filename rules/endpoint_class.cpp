#include "rules/endpoint_class.hpp"

#include "rules/quota.hpp"

namespace podfence::rules {

namespace {

/// What these make is counted when it is there, by no row of its own.
bool makes_something(const Endpoint& endpoint) {
  return endpoint.act == Act::KubePlay || endpoint.act == Act::Commit || endpoint.act == Act::ImageLoad ||
         endpoint.act == Act::ImageImport;
}

bool removes_something(const Endpoint& endpoint) {
  return endpoint.method == Method::Delete || endpoint.act == Act::Prune;
}

}  // namespace

bool changes_something(const Endpoint& endpoint) {
  if (is_safe(endpoint.method)) return endpoint.path.ends_with("/healthcheck");
  return !endpoint.path.ends_with("/wait");
}

std::string_view group_of(const Endpoint& endpoint) {
  constexpr std::string_view family = "/libpod";
  auto path = endpoint.path;
  if (path.starts_with(family)) path.remove_prefix(family.size());
  path.remove_prefix(1);
  return path.substr(0, path.find('/'));
}

std::string_view act_of(const Endpoint& endpoint) {
  if (endpoint.refusal) return "none";
  const auto resource = resource_of(endpoint);
  if (resource == Resource::Streams) return "stream";
  if (resource || makes_something(endpoint)) return "create";
  if (removes_something(endpoint)) return "remove";
  return changes_something(endpoint) ? "change" : "read";
}

bool is_change(const Endpoint& endpoint) {
  return changes_something(endpoint) && resource_of(endpoint) != Resource::Streams;
}

}  // namespace podfence::rules
