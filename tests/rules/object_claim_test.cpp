#include "rules/object_claim.hpp"

#include <doctest/doctest.h>

using namespace podfence::rules;

TEST_CASE("a volume is claimed under its name with the project's label and nothing else") {
  Project project;
  project.id = "p1";
  const auto request = claim(project, NewVolume{"data"});
  CHECK(request.method == Method::Post);
  CHECK(request.target == "/v4.0.0/libpod/volumes/create");
  CHECK(request.content == R"({"Name":"data","Label":{"appx.project":"p1"}})");
}

TEST_CASE("the project's network is claimed isolated, and internal where nothing may reach out") {
  Project project;
  project.id = "p1";
  const auto request = claim(project, NewNetwork{"podfence.p1", true});
  CHECK(request.method == Method::Post);
  CHECK(request.target == "/v4.0.0/libpod/networks/create");
  CHECK(request.content == R"({"name":"podfence.p1","driver":"bridge","dns_enabled":true,"internal":true,)"
                           R"("options":{"isolate":"true"},"labels":{"appx.project":"p1"}})");
}

TEST_CASE("only 201 says that a volume was made by the claim") {
  CHECK(volume_was_made(201));
  for (const int status : {200, 204, 404, 409, 500}) CHECK_FALSE(volume_was_made(status));
}

TEST_CASE("a claim holds for an own volume only") {
  const auto check = [](Ownership ownership) { return check_claim(Kind::Volume, {ownership, "data", {}}, "data"); };
  CHECK_FALSE(check(Ownership::Own));
  REQUIRE(check(Ownership::Foreign));
  CHECK(check(Ownership::Foreign)->rule == refusal("ownership.hidden"));
  CHECK(check(Ownership::Shared)->rule == refusal("ownership.hidden"));
  CHECK(check(Ownership::Missing)->rule == refusal("upstream.answer"));
}

TEST_CASE("a claim is taken back by the exact name, without force") {
  const auto request = unclaim_volume("a/b");
  CHECK(request.method == Method::Delete);
  CHECK(request.target == "/v4.0.0/libpod/volumes/a%2Fb");
  CHECK_FALSE(request.content);
}
