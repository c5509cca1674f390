// How long a project lives, as its definition says it, and what its end waits for.

#include "rules/life.hpp"

#include <doctest/doctest.h>

#include "rules/endpoint.hpp"
#include "rules/endpoint_class.hpp"
#include "rules/target.hpp"

using namespace podfence::rules;

namespace {

std::variant<Life, LifeError> with_lease(const std::string& time) {
  return read_life(std::get<json::Value>(json::parse(R"({"lease": {"time": ")" + time + R"("}})")));
}

bool is_waited_for(Method method, const std::string& target) {
  const auto parsed = std::get<Target>(parse_target(target));
  return is_change(*std::get<Match>(route(method, parsed)).endpoint);
}

}  // namespace

TEST_CASE("a lease is between ten seconds and ten years") {
  for (const char* time : {"10s", "1m", "87599h59m59s", "87600h"}) {
    CAPTURE(time);
    CHECK(std::holds_alternative<Life>(with_lease(time)));
  }
  CHECK(std::get<Life>(with_lease("10s")).lease->seconds == shortest_lease);
  CHECK(std::get<Life>(with_lease("87600h")).lease->seconds == longest_lease);
  for (const char* time : {"0s", "9s", "87600h1s", "87601h", "3000000h", "999999999h", "forever"}) {
    CAPTURE(time);
    const auto read = with_lease(time);
    const auto* error = std::get_if<LifeError>(&read);
    REQUIRE(error);
    CHECK(error->where == "/lease/time");
    CHECK(error->what == "must be a duration of at least 10s and at most 87600h");
  }
}

TEST_CASE("each teardown does more than the one before") {
  CHECK(Teardown::None < Teardown::Stop);
  CHECK(Teardown::Stop < Teardown::Remove);
}

TEST_CASE("the end of a project waits for what makes, changes or removes, and for no question and no stream") {
  for (const char* target :
       {"/v1.41/containers/create", "/v1.41/commit", "/v1.41/images/load", "/v1.41/images/create", "/v1.41/build",
        "/v4.0.0/libpod/play/kube", "/v4.0.0/libpod/manifests/a", "/v1.41/containers/a/rename"}) {
    CAPTURE(target);
    CHECK(is_waited_for(Method::Post, target));
  }
  CHECK(is_waited_for(Method::Delete, "/v1.41/containers/a"));
  CHECK(is_waited_for(Method::Put, "/v1.41/containers/a/archive"));
  for (const char* target : {"/v1.41/containers/a/attach", "/v1.41/exec/a/start", "/v1.41/containers/a/wait"}) {
    CAPTURE(target);
    CHECK_FALSE(is_waited_for(Method::Post, target));
  }
  CHECK_FALSE(is_waited_for(Method::Get, "/v1.41/events"));
  CHECK_FALSE(is_waited_for(Method::Get, "/v1.41/containers/json"));
}
