// What real clients sent passes, labelled once, and judging the outcome again changes nothing.

#include "tests/rules/body_samples.hpp"

#include <doctest/doctest.h>

using namespace podfence::tests;

namespace {

std::size_t occurrences(std::string_view text, std::string_view of) {
  std::size_t count = 0;
  for (std::size_t at = text.find(of); at != std::string_view::npos; at = text.find(of, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("what clients really send passes, with the label once, and the outcome is final") {
  Everything everything;
  std::size_t passed = 0;
  for (const auto& sample : samples()) {
    CAPTURE(sample.name);
    const auto first = everything.judge(sample);
    CAPTURE(first.subject);
    CHECK(first.denied == refusal_of(sample));
    if (!first.denied.empty()) continue;
    ++passed;
    const std::size_t labels = sample.folder->labels.empty() ? 0 : 1;
    CHECK(occurrences(first.text, R"("appx.project":"p1")") == labels);
    CHECK(occurrences(first.text, "appx.project") == labels);
    if (first.text.find("/srv/p1") != std::string::npos) continue;  // a path of the host is none of a client's
    const auto again = everything.judge(sample.folder->body, first.text);
    CHECK(again.denied == "");
    CHECK(again.text == first.text);
    CHECK(again.volumes == first.volumes);
  }
  CHECK(passed >= 160);
}

TEST_CASE("nothing that would name the shared default network is left in what clients send") {
  Everything everything;
  for (const auto& sample : samples()) {
    CAPTURE(sample.name);
    const auto outcome = everything.judge(sample);
    const bool creates_network = sample.folder->name.starts_with("network-create");
    CHECK((creates_network || outcome.text.find(R"("default")") == std::string::npos));
    CHECK(outcome.text.find(R"("NetworkMode":"bridge")") == std::string::npos);
  }
}

TEST_CASE("names of volumes in what clients send are noted once each") {
  Everything everything;
  const auto outcome = everything.judge(Body::ContainerCreateCompat,
                                        R"({"Image":"localhost/bb","HostConfig":{"Binds":["a:/1","b:/2:ro","a:/3"],
                                           "Mounts":[{"Type":"volume","Source":"b","Target":"/4"}]}})");
  CHECK(outcome.volumes == std::vector<std::string>{"a", "b"});
}
