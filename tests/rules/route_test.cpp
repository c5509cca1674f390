// Which row a request finds, and what is said where there is none.
#include <doctest/doctest.h>

#include "rules/endpoint.hpp"

using namespace podfence::rules;

namespace {

/// "/path/of/{row} name" or the refusal's id.
std::string found(Method method, std::string_view text) {
  const auto target = parse_target(text);
  if (const Deny* denied = std::get_if<Deny>(&target)) return std::string(denied->rule->id);
  const auto result = route(method, std::get<Target>(target));
  if (const Deny* denied = std::get_if<Deny>(&result)) return std::string(denied->rule->id);
  const Match& match = std::get<Match>(result);
  CHECK(match.endpoint->method == method);
  return std::string(match.endpoint->path) + (match.name.empty() ? "" : " " + match.name);
}

constexpr std::string_view id = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

}  // namespace

TEST_CASE("a request finds its row and the name in its path") {
  struct Row {
    Method method;
    std::string text, found;
  };
  using enum Method;
  const Row rows[] = {
      {Get, "/_ping", "/_ping"},
      {Head, "/_ping", "/_ping"},
      {Get, "/libpod/_ping", "/libpod/_ping"},
      {Get, "/v4.3.1/libpod/_ping", "/libpod/_ping"},
      {Get, "/containers/json", "/containers/json"},
      {Get, "/v1.41/containers/json?all=1", "/containers/json"},
      {Get, "/v1.41/libpod/containers/json", "/libpod/containers/json"},
      {Get, "/v1.41/containers/a/json", "/containers/{name}/json a"},
      {Get, "/containers/libpod/json", "/containers/{name}/json libpod"},
      {Get, "/containers/json/json", "/containers/{name}/json json"},
      {Delete, "/containers/json", "/containers/{name} json"},
      {Get, "/v4.0.0/libpod/containers/stats", "/libpod/containers/stats"},
      {Get, "/v4.0.0/libpod/containers/stats/stats", "/libpod/containers/{name}/stats stats"},
      {Get, "/v4.0.0/libpod/containers/a/healthcheck", "/libpod/containers/{name:.*}/healthcheck a"},
      {Post, "/exec/" + std::string(id) + "/start", "/exec/{id}/start " + std::string(id)},
      {Get, "/v1.41/networks/x", "/networks/{name} x"},
      {Post, "/v1.41/networks/prune", "/networks/prune"},
      {Get, "/v4.0.0/libpod/networks/json", "/libpod/networks/json"},
      {Get, "/v4.0.0/libpod/networks/json/json", "/libpod/networks/{name}/json json"},
      {Get, "/images/json", "/images/json"},
      {Get, "/images/get", "/images/get"},
      {Get, "/images/get/get", "/images/{name:.*}/get get"},
      {Get, "/images/bb/json", "/images/{name:.*}/json bb"},
      {Get, "/images/localhost/bb:latest/json", "/images/{name:.*}/json localhost/bb:latest"},
      {Get, "/images/localhost%2Fbb:latest/json", "/images/{name:.*}/json localhost/bb:latest"},
      {Get, "/images/r.io/a/b@sha256:00/json", "/images/{name:.*}/json r.io/a/b@sha256:00"},
      {Get, "/images/json/json/json", "/images/{name:.*}/json json/json"},
      {Delete, "/images/a/b/json", "/images/{name:.*} a/b/json"},
      {Delete, "/v4.0.0/libpod/images/remove", "/libpod/images/remove"},
      {Delete, "/v4.0.0/libpod/images/x/remove", "/libpod/images/{name:.*} x/remove"},
      {Post, "/v4.0.0/libpod/images/scp/foo/tag", "/libpod/images/scp/{name:.*} foo/tag"},
      {Post, "/v4.0.0/libpod/manifests/a/b/add", "/libpod/manifests/{name:.*}/add a/b"},
      {Post, "/v4.0.0/libpod/manifests/a/registry/b/c", "/libpod/manifests/{name:.*} a/registry/b/c"},
      {Post, "/v4.0.0/libpod/manifests/create", "/libpod/manifests/create"},
      {Get, "/secrets/a", "/secrets/{name} a"},
      {Put, "/secrets/a", "/secrets/{name:.*} a"},
      {Get, "/swarm/unlockkey", "/swarm/{name:.*} unlockkey"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(found(row.method, row.text) == row.found);
  }
}

TEST_CASE("an unknown path, an unknown method and a missing version are told apart") {
  struct Row {
    Method method;
    std::string_view text, refusal;
  };
  using enum Method;
  const Row rows[] = {
      {Get, "/v1.41", "endpoint.unknown"},
      {Get, "/containers", "endpoint.unknown"},
      {Get, "/Containers/json", "endpoint.unknown"},
      {Get, "/containers/a/b/json", "endpoint.unknown"},
      {Get, "/containers/a%2Fb/json", "endpoint.unknown"},
      {Get, "/containers%2Fjson", "endpoint.unknown"},
      {Get, "/libpod%2Finfo", "endpoint.unknown"},
      {Get, "/images/a%2Fjson", "endpoint.method"},
      {Get, "/plugins/x/json", "endpoint.unknown"},
      {Post, "/plugins/pull", "endpoint.unknown"},
      {Get, "/containers/a/attach/ws", "endpoint.unknown"},
      {Get, "/v4.0.0/libpod/containers/a/shouldrestart", "endpoint.unknown"},
      {Get, "/v4.0.0/v4.0.0/libpod/info", "endpoint.unknown"},
      {Get, "/v4.0.0/libpod/libpod/info", "endpoint.unknown"},
      {Get, "/services", "endpoint.unknown"},
      {Get, "/images/json/json", "/images/{name:.*}/json json"},
      {Post, "/containers/json", "endpoint.method"},
      {Head, "/containers/json", "endpoint.method"},
      {Get, "/v1.41/build", "endpoint.method"},
      {Put, "/exec/x/json", "endpoint.method"},
      {Get, "/libpod/info", "endpoint.unversioned"},
      {Post, "/libpod/containers/create", "endpoint.unversioned"},
      {Get, "/libpod/nothing", "endpoint.unknown"},
      {Get, "/libpod/", "target.path"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(found(row.method, row.text) == row.refusal);
  }
}

TEST_CASE("a container's name never spans segments, however it is written") {
  for (const Endpoint& endpoint : endpoints()) {
    const auto brace = endpoint.path.find("{name}");
    if (brace == std::string_view::npos) continue;
    std::string text = endpoint.family == Family::Libpod ? "/v4.0.0" : "";
    text += std::string(endpoint.path).replace(brace, 6, "a%2Fb");
    CAPTURE(text);
    CHECK(found(endpoint.method, text) != std::string(endpoint.path) + " a/b");
  }
}
