// The endpoint table against the recorded list of every route of Podman 4.3 to 6.0, and against docs/endpoints.md.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "rules/endpoint.hpp"

using namespace podfence::rules;

namespace {

struct Route {
  std::string method, path, family, recommendation;
};

std::string environment(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? value : otherwise;
}

std::string recorded_routes_file() {
  return environment("PODFENCE_SHARED", PODFENCE_SOURCE_DIR "/../shared") + "/podman-api/endpoints.tsv";
}

/// The parts of a path that our table leaves out: the version of the manifest routes, and what tells pull from import.
std::string table_path(std::string path) {
  if (path.starts_with("/v{version:")) path.erase(0, path.find('/', 1));
  if (const auto mark = path.find('?'); mark != std::string::npos) path.erase(mark);
  if (path.ends_with("/*")) path.replace(path.size() - 1, 1, "{name:.*}");
  return path;
}

std::vector<Route> recorded_routes() {
  std::ifstream file(recorded_routes_file());
  std::vector<Route> routes;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::vector<std::string> columns;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, '\t');) columns.push_back(cell);
    REQUIRE(columns.size() >= 12);
    routes.push_back({columns[0], table_path(columns[1]), columns[3], columns[11]});
  }
  return routes;
}

/// A path that the template matches.
std::string example(std::string path) {
  while (true) {
    const auto brace = path.find('{');
    if (brace == std::string::npos) return path;
    const auto size = path.find('}', brace) - brace + 1;
    const bool greedy = path.substr(brace, size).ends_with(":.*}");
    path.replace(brace, size, greedy ? "some/deep" : "some");
  }
}

std::vector<Method> methods_of(const Route& route) {
  if (route.method == "ANY") return {Method::Get, Method::Head, Method::Post, Method::Put, Method::Delete};
  const auto method = parse_method(route.method);
  REQUIRE(method.has_value());
  return {*method};
}

const Endpoint* row_of(Method method, const std::string& path) {
  const std::string version = path.starts_with("/libpod/") ? "/v4.0.0" : "";
  const auto target = parse_target(version + example(path));
  REQUIRE(std::holds_alternative<Target>(target));
  const auto result = route(method, std::get<Target>(target));
  const Match* match = std::get_if<Match>(&result);
  return match ? match->endpoint : nullptr;
}

/// Recorded as "deny" because Podman's own way reaches everybody, and served because ours does not.
const std::set<std::string> narrowed = {
    "/libpod/containers/showmounted",  // own containers, without paths
    "/images/prune",                   // list own, remove each
    "/libpod/images/prune",
    "/libpod/pods/prune",
    "/volumes/prune",
    "/libpod/volumes/prune",
    "/images/load",  // by judged names
    "/libpod/images/load",
    "/images/search",  // of allowed registries
    "/libpod/images/search",
    "/auth",
    "/libpod/images/{name:.*}/tree",  // without names of others
    "/libpod/play/kube",              // made into creates and removals
    "/libpod/kube/play",
    "/libpod/generate/kube",  // of own objects, without the host's paths
    "/libpod/kube/generate",
    "/libpod/manifests/{name:.*}",  // own lists, of members that may be used
    "/libpod/manifests/{name:.*}/json",
    "/libpod/manifests/{name:.*}/registry/{destination:.*}",
};

/// Recorded as fit to serve, and refused for good.
const std::set<std::string> withheld = {
    "/libpod/images/{name:.*}/resolve",  // the host's registries.conf
};

/// Routes with a name in one segment, which may have slashes in it, written as %2F.
const std::set<std::string> slashed = {"/libpod/images/{name}/changes"};

/// Routes of clients that no Podman has.
const std::set<std::string> extras = {"/session", "/grpc", "/build/prune"};

bool is_for_later(const Endpoint& endpoint) { return endpoint.refusal->id.starts_with("endpoint.later-"); }

}  // namespace

TEST_CASE("every route of Podman has a row with a decision that fits, and every row is a route of Podman") {
  if (!std::ifstream(recorded_routes_file())) {
    MESSAGE("SKIPPED: ", recorded_routes_file(), " is not here; set PODFENCE_SHARED to its directory");
    return;
  }
  const auto routes = recorded_routes();
  REQUIRE(routes.size() > 200);
  std::set<const Endpoint*> seen;
  for (const Route& recorded : routes) {
    for (Method method : methods_of(recorded)) {
      CAPTURE(recorded.method);
      CAPTURE(recorded.path);
      const Endpoint* row = row_of(method, recorded.path);
      REQUIRE(row != nullptr);
      seen.insert(row);
      const bool refused = row->act == Act::Refuse;
      // Two greedy parameters in one route: the row above it decides (act/manifest.cpp).
      const bool same_path = row->path == recorded.path;
      if (!same_path) CHECK((recorded.path.find("/registry/") != std::string::npos || slashed.contains(recorded.path)));
      CHECK((row->family == Family::Libpod) == (recorded.family == "libpod"));
      if (recorded.recommendation == "deny")
        CHECK(refused != narrowed.contains(recorded.path));
      else if (refused)
        CHECK((is_for_later(*row) || withheld.contains(recorded.path)));
    }
  }
  for (const Endpoint& row : endpoints()) {
    CAPTURE(row.path);
    CHECK(seen.contains(&row) != extras.contains(std::string(row.path)));
  }
}

TEST_CASE("what later versions bring, and what never comes, is refused with its own reason") {
  struct Row {
    Method method;
    std::string_view path, rule;
  };
  using enum Method;
  const Row rows[] = {
      {Post, "/libpod/local/build", "endpoint.host-path"},
      {Post, "/libpod/manifests/create", "endpoint.old-manifest"},
      {Post, "/libpod/kube/apply", "endpoint.outgoing"},
      {Get, "/libpod/images/{name:.*}/resolve", "endpoint.host-settings"},
      {Post, "/libpod/containers/{name}/mount", "endpoint.host-path"},
      {Post, "/libpod/containers/{name}/restore", "endpoint.checkpoint"},
      {Post, "/libpod/quadlets", "endpoint.host-code"},
      {Post, "/libpod/images/scp/{name:.*}", "endpoint.outgoing"},
      {Post, "/libpod/system/prune", "endpoint.global"},
      {Delete, "/secret/{name}", "endpoint.unsupported"},
      {Post, "/session", "endpoint.buildkit"},
      {Post, "/build/prune", "endpoint.build-cache"},
      {Get, "/swarm/{name:.*}", "endpoint.swarm"},
  };
  for (const Row& expected : rows) {
    CAPTURE(expected.path);
    const Endpoint* row = row_of(expected.method, std::string(expected.path));
    REQUIRE(row != nullptr);
    CHECK(row->act == Act::Refuse);
    REQUIRE(row->refusal != nullptr);
    CHECK(row->refusal->id == expected.rule);
  }
}

TEST_CASE("a row has a refusal exactly when it is refused") {
  for (const Endpoint& row : endpoints()) {
    CAPTURE(row.path);
    CHECK((row.act == Act::Refuse) == (row.refusal != nullptr));
  }
}

TEST_CASE("a list never crosses the proxy in one piece unread") {
  for (const Endpoint& row : endpoints()) {
    CAPTURE(row.path);
    if (row.act == Act::List) CHECK(relay_of(row.answer) == Relay::Whole);
    if (row.act == Act::Events || row.act == Act::Stats) CHECK(relay_of(row.answer) == Relay::Lines);
    CHECK((relay_of(row.answer) == Relay::Hijack) == (row.answer == Answer::Hijack));
  }
}

TEST_CASE("docs/endpoints.md is what the table says") {
  const std::string path = PODFENCE_SOURCE_DIR "/docs/endpoints.md";
  const std::string current = endpoints_markdown();
  if (!environment("PODFENCE_WRITE_DOCS", "").empty()) std::ofstream(path) << current;
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  CHECK_MESSAGE(text.str() == current, path << " is stale: run the rules tests with PODFENCE_WRITE_DOCS=1");
}
