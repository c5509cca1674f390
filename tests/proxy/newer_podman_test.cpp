// What Podman has beside what the suites on a real one have met (5.5 to 6.0), through the whole proxy in front of a
// fake one: refused before upstream hears of it, or served in the form that is known.

#include <doctest/doctest.h>

#include "rules/endpoint.hpp"
#include "rules/error_answer.hpp"
#include "tests/support/running_proxy.hpp"

using namespace podfence::testing;
using podfence::rules::Act;
using podfence::rules::Family;
using podfence::rules::Kind;

namespace {

std::string request(std::string_view method, const std::string& target) {
  return std::string(method) + " " + target + " HTTP/1.1\r\nHost: d\r\nContent-Length: 0\r\n\r\n";
}

/// The path with an x for each of its parameters.
std::string filled(std::string_view path) {
  std::string result;
  bool inside = false;
  for (const char c : path) {
    if (c == '{') result += 'x';
    inside = c == '{' || (inside && c != '}');
    if (!inside && c != '}') result += c;
  }
  return result;
}

}  // namespace

TEST_CASE("no endpoint that is refused is heard of upstream, whatever version it came with") {
  RunningProxy proxy;
  int refused = 0;
  for (const auto& endpoint : podfence::rules::endpoints()) {
    if (endpoint.act != Act::Refuse) continue;
    const std::string version = endpoint.family == Family::Libpod ? "/v6.0.0" : "/v1.52";
    const auto target = version + filled(endpoint.path);
    CAPTURE(target);
    const auto parsed = podfence::rules::parse_target(target);
    const auto row = podfence::rules::route(endpoint.method, std::get<podfence::rules::Target>(parsed));
    // A row for all that is below a path leaves room for more exact ones.
    if (const auto* match = std::get_if<podfence::rules::Match>(&row); match && match->endpoint != &endpoint) continue;
    const auto answer = proxy.ask(request(podfence::rules::text(endpoint.method), target));
    CHECK(answer.status >= 400);
    if (endpoint.method != podfence::rules::Method::Head)
      CHECK(answer.content.find(endpoint.refusal->id) != std::string::npos);
    ++refused;
  }
  CHECK(refused > 70);
  CHECK(proxy.podman.bytes() == 0);
}

TEST_CASE("an endpoint, a parameter or a field that nobody knows is refused before upstream hears of it") {
  RunningProxy proxy;
  for (const auto* target : {"/v6.1.0/libpod/containers/new", "/v6.1.0/libpod/novelties/json", "/v2.0/novelties"})
    CHECK(proxy.ask(request("POST", target)).status >= 400);
  CHECK(proxy.ask(request("POST", "/v6.0.0/libpod/volumes/prune?dryRun=true")).status == 400);
  const std::string content = R"({"Name":"data","Novelty":true})";
  CHECK(proxy
            .ask("POST /v6.0.0/libpod/volumes/create HTTP/1.1\r\nHost: d\r\nContent-Length: " +
                 std::to_string(content.size()) + "\r\n\r\n" + content)
            .status >= 400);
  CHECK(proxy.podman.bytes() == 0);
}

TEST_CASE("what is known is served in the version that the client asks for") {
  RunningProxy proxy;
  const auto id = proxy.podman.add(Kind::Container, "web", "p1");
  for (const auto* version : {"/v5.8.6/libpod", "/v6.0.0/libpod", "/v1.52"}) {
    CAPTURE(version);
    CHECK(proxy.ask("GET " + std::string(version) + "/containers/web/json HTTP/1.1\r\nHost: d\r\n\r\n").status == 200);
    CHECK(proxy.podman.lines().back() == "GET " + std::string(version) + "/containers/" + id + "/json HTTP/1.1");
  }
}
