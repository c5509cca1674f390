// Where things are kept when nobody says otherwise.
#include "proxy/places.hpp"

#include <doctest/doctest.h>

#include <map>
#include <stdexcept>

using namespace podfence::proxy;
using podfence::rules::Configuration;

namespace {

Places places(std::map<std::string, std::string> environment) {
  return Places([environment = std::move(environment)](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  });
}

}  // namespace

TEST_CASE("places follow the environment") {
  const Places here = places({{"XDG_RUNTIME_DIR", "/r"}, {"XDG_STATE_HOME", "/s"}, {"HOME", "/h"}});
  CHECK(here.socket("p1") == "/r/podfence/p1/podman.sock");
  CHECK(here.state() == "/s/podfence");
  CHECK(here.podman_socket() == "/r/podman/podman.sock");
  CHECK(places({{"HOME", "/h"}}).state() == "/h/.local/state/podfence");
}

TEST_CASE("a place that is not absolute is ignored") {
  CHECK(places({{"XDG_STATE_HOME", "s"}, {"HOME", "/h"}}).state() == "/h/.local/state/podfence");
  CHECK_THROWS_AS(places({{"HOME", "h"}}).state(), std::runtime_error);
  CHECK_THROWS_AS(places({}).state(), std::runtime_error);
}

TEST_CASE("podfence's own Podman service is not where a project could be") {
  CHECK(places({{"XDG_RUNTIME_DIR", "/r"}}).own_podman_socket() == "/r/podfence/.podman/podman.sock");
  CHECK_FALSE(podfence::rules::is_project_id(".podman"));
}

TEST_CASE("only what a configuration leaves open is filled") {
  Configuration configuration;
  configuration.projects = {{{.id = "p1", .policy = {}}, "/mine"}, {{.id = "p10", .policy = {}}, ""}};
  places({{"XDG_RUNTIME_DIR", "/r"}, {"HOME", "/h"}}).fill(configuration);
  CHECK(configuration.projects[0].socket == "/mine");
  CHECK(configuration.projects[1].socket == "/r/podfence/p10/podman.sock");
  CHECK(configuration.projects[0].project.socket == "/mine");
  CHECK(configuration.projects[1].project.socket == "/r/podfence/p10/podman.sock");
  CHECK(configuration.state == "/h/.local/state/podfence");
  CHECK(configuration.upstream.empty());

  configuration.state = "/mine";
  places({}).fill(configuration);
  CHECK(configuration.state == "/mine");
}
