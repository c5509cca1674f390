// What Podman says of what is gone.

#include "rules/absence.hpp"

#include <doctest/doctest.h>

using namespace podfence::rules;

namespace {

std::string says(const std::string& cause) { return R"({"cause":")" + cause + R"(","message":"x","response":500})"; }

}  // namespace

TEST_CASE("an object that goes while it is looked at is absent, in every step of the look") {
  for (const auto* cause : {"image not known", "layer not known", "size is not known", "file does not exist",
                            "no such container", "network not found", "volume has already been removed"})
    CHECK(says_absent(500, says(cause)));
  CHECK(says_absent(404, "anything"));
  CHECK_FALSE(says_absent(500, says("database is locked")));
  CHECK_FALSE(says_absent(200, says("image not known")));
}

TEST_CASE("a question that fails by a removal can be asked again, and no other") {
  using Ask = Question::Ask;
  const auto stumbled = says("runtime error: invalid memory address or nil pointer dereference");
  for (const auto ask : {Ask::List, Ask::Object}) CHECK(passes_by({ask, Kind::Image, "x"}, 500, stumbled));
  CHECK_FALSE(passes_by({Ask::Object, Kind::Container, "x"}, 500, stumbled));
  for (const auto ask : {Ask::List, Ask::Count, Ask::Mounts})
    CHECK(passes_by({ask, Kind::Image, ""}, 500, says("layer not known")));
  CHECK_FALSE(passes_by({Ask::List, Kind::Image, ""}, 500, says("database is locked")));
  for (const auto* cause : {"no such volume", "network not found", "container has already been removed"})
    CHECK(passes_by({Ask::List, Kind::Volume, ""}, 500, says(cause)));
  CHECK_FALSE(passes_by({Ask::Object, Kind::Volume, "x"}, 500, says("no such volume")));
  CHECK_FALSE(passes_by({Ask::Object, Kind::Image, "x"}, 500, says("layer not known")));
  CHECK_FALSE(passes_by({Ask::List, Kind::Image, ""}, 404, says("layer not known")));
}
