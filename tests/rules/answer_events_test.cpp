#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "tests/rules/recorded.hpp"

using namespace podfence::tests;

namespace {

struct Events : Recorded {
  explicit Events(std::string_view target = "/v1.41/events")
      : Recorded(Method::Get, target), judge(Answer::EventLines, exchange) {}

  /// "type action name" of each line that is kept.
  std::vector<std::string> kept(const std::string& file) {
    std::vector<std::string> result;
    for (const auto& line : lines_of(recording(file))) {
      const auto text = judged(judge, line);
      if (!text) continue;
      CHECK(reveals(*text) == "");
      result.push_back(summary(*text));
    }
    return result;
  }

  bool keeps(const std::string& line) { return judged(judge, line).has_value(); }

  LineJudge judge;

 private:
  static std::string summary(std::string_view line) {
    const auto event = parsed(line);
    return std::string(event.text("Type")) + " " + std::string(event.text("Action")) + " " +
           std::string(event.find("Actor")->find("Attributes")->text("name"));
  }
};

std::string volume_event(std::string_view action, std::string_view name, std::string_view time) {
  return R"({"Type":"volume","Action":")" + std::string(action) + R"(","Actor":{"ID":"","Attributes":{"name":")" +
         std::string(name) + R"("}},"timeNano":)" + std::string(time) + "}";
}

std::string image_event(std::string_view action, std::string_view event_id, std::string_view name) {
  return R"({"Type":"image","Action":")" + std::string(action) + R"(","Actor":{"ID":")" + std::string(event_id) +
         R"(","Attributes":{"name":")" + std::string(name) + R"("}},"timeNano":1})";
}

std::string object_event(std::string_view type, std::string_view action, std::string_view event_id) {
  return R"({"Type":")" + std::string(type) + R"(","Action":")" + std::string(action) + R"(","Actor":{"ID":")" +
         std::string(event_id) + R"(","Attributes":{"name":"x"}},"timeNano":1})";
}

using Strings = std::vector<std::string>;

/// What upstream is asked for before the stream begins.
Strings asked_before(Events& events) {
  const auto decision = decide(events.exchange);
  const auto* ask = std::get_if<Ask>(&decision);
  const std::pair<Question, const char*> names[] = {{{Question::Ask::List, Kind::Pod, ""}, "pods"},
                                                    {{Question::Ask::List, Kind::Network, ""}, "networks"},
                                                    {{Question::Ask::List, Kind::Volume, ""}, "volumes"},
                                                    {{Question::Ask::Mounts, Kind::Volume, ""}, "mounts"},
                                                    {{Question::Ask::List, Kind::Image, ""}, "images"}};
  Strings result;
  for (const auto& [question, name] : names)
    if (ask && std::ranges::find(ask->questions, question) != ask->questions.end()) result.emplace_back(name);
  CHECK(result.size() == (ask ? ask->questions.size() : 0));
  return result;
}

constexpr const char* created = "1795991730481977332";  // p1-data, 2026-11-29T22:35:30.481977332Z
constexpr const char* before = "1795991730481977331";
constexpr const char* after = "1795991790000000000";

}  // namespace

TEST_CASE("of the events of two projects each sees its own") {
  const Strings own{
      "volume create p1-data",      "volume create 7d7e2c39f14221408ad3b4ae1926a3718afbbf6ccc548f8f9f87f6cf40e68d5e",
      "container create p1-web",    "container init p1-web",
      "container start p1-web",     "container exec p1-web",
      "container create p1-job",    "container init p1-job",
      "container start p1-job",     "pod create p1-pod",
      "container create p1-member", "container die p1-job",
      "container init p1-member",   "container start p1-member",
      "pod start p1-pod",           "container create p1-second",
      "container cleanup p1-job"};
  Events docker;
  CHECK(docker.kept("docker_events.jsonl") == own);

  auto in_libpod_words = own;
  in_libpod_words[11] = "container died p1-job";
  Events libpod("/v4.3.1/libpod/events");
  CHECK(libpod.kept("libpod_events.jsonl") == in_libpod_words);
}

TEST_CASE("own removals are told although the objects are gone") {
  for (const auto* file : {"docker_events_removal.jsonl", "libpod_events_removal.jsonl"}) {
    CAPTURE(file);
    Events events;
    const auto kept = events.kept(file);
    for (const auto* removal : {"container remove p1-web2", "container remove p1-member", "container remove p1-second",
                                "pod kill p1-pod", "pod remove p1-pod", "volume remove p1-data",
                                "volume remove 7d7e2c39f14221408ad3b4ae1926a3718afbbf6ccc548f8f9f87f6cf40e68d5e"}) {
      CAPTURE(removal);
      CHECK(std::ranges::count(kept, removal) == 1);
    }
  }
}

TEST_CASE("what is asked before the first event is what the client's filters let through") {
  const struct {
    const char* filters;
    Strings listed;
  } rows[] = {
      {"", {"pods", "networks", "volumes", "mounts", "images"}},
      {R"({"label":["a=b"],"event":["start"]})", {"pods", "networks", "volumes", "mounts", "images"}},
      {R"({"type":["container"]})", {}},
      {R"({"type":["container","volume"]})", {"volumes", "mounts"}},
      {R"({"type":{"image":true,"pod":false}})", {"images"}},
      {R"({"container":["web"]})", {}},
      {R"({"image":["app"]})", {"images"}},
      {R"({"volume":["data"],"type":["volume","pod"]})", {"volumes", "mounts"}},
      {R"({"volume":["data"],"pod":["a"]})", {}},
      {R"({"secret":["a"]})", {}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.filters);
    Events events("/v1.41/events" + (*row.filters ? "?filters=" + encode(row.filters) : ""));
    CHECK(asked_before(events) == row.listed);
  }
}

TEST_CASE("of one type the same events are told as without a filter") {
  for (const auto* file : {"docker_events.jsonl", "docker_events_removal.jsonl"})
    for (const auto* type : {"container", "pod", "volume", "image", "network"}) {
      CAPTURE(file);
      CAPTURE(type);
      const auto of_type = [&](Strings lines) {
        std::erase_if(lines, [&](const std::string& line) { return !line.starts_with(std::string(type) + " "); });
        return lines;
      };
      Events all, filtered("/v1.41/events?filters=" + encode(R"({"type":[")" + std::string(type) + R"("]})"));
      CHECK(of_type(filtered.kept(file)) == of_type(all.kept(file)));
    }
}

TEST_CASE("a label of another value is another project's, whatever else the event says") {
  Events events;
  CHECK_FALSE(events.keeps(
      R"({"Type":"container","Action":"start","Actor":{"ID":")" + std::string(web_id) +
      R"(","Attributes":{"appx.project":"p10","name":"p1-web","image":"localhost/bb:latest"}},"timeNano":1})"));
  CHECK_FALSE(events.keeps(R"({"Type":"container","Action":"start","Actor":{"ID":")" + id('e') +
                           R"(","Attributes":{"Appx.Project":"p1","appx.project2":"p1","name":"x"}},"timeNano":1})"));
}

TEST_CASE("a container's event without labels is told from its id") {
  Events events;
  CHECK(events.keeps(object_event("container", "start", web_id)));
  CHECK_FALSE(events.keeps(object_event("container", "start", foreign_web_id)));
  CHECK_FALSE(events.keeps(object_event("container", "start", "p1-web")));  // no id: nothing to go by
  const int asked = events.questions;
  CHECK_FALSE(events.keeps(object_event("container", "die", foreign_web_id)));
  CHECK(events.questions == asked);  // what is foreign stays foreign
}

TEST_CASE("connecting is an event of the container, creating one of the network") {
  Events events;
  CHECK(events.keeps(object_event("network", "connect", web_id)));
  CHECK_FALSE(events.keeps(object_event("network", "connect", foreign_web_id)));
  CHECK(events.keeps(
      object_event("network", "remove", "e1955d6ed7eba3d6d48541ca9330b1736a24ef806743f8a8633431af6b18f397")));
  CHECK_FALSE(events.keeps(
      object_event("network", "remove", "72326dd05091689f6734b3f1e7747ccba6dc0249eaae4cc5cbb4153f81dab878")));
}

TEST_CASE("events of types and shapes that are not known are dropped") {
  Events events;
  for (const auto* line :
       {R"({"Type":"secret","Action":"create","Actor":{"ID":"x","Attributes":{}}})",
        R"({"Type":"system","Action":"refresh","Actor":{"ID":"","Attributes":{}}})",
        R"({"Type":"quadlet","Action":"create"})", R"({"Type":"container"})", R"({})", "[]", "5", "not json", ""}) {
    CAPTURE(line);
    CHECK_FALSE(events.keeps(line));
  }
}

TEST_CASE("a secret's events are told to whom the ledger gives it, its removal also when the ledger has forgotten") {
  Events events;
  events.ledger.held_secrets = {{"p1", "before"}, {"p10", "theirs"}};
  CHECK_FALSE(events.keeps(object_event("secret", "create", "theirs")));
  CHECK_FALSE(events.keeps(object_event("secret", "create", "new")));
  events.ledger.held_secrets.insert({"p1", "new"});
  CHECK(events.keeps(object_event("secret", "create", "new")));
  events.ledger.held_secrets.clear();
  for (const auto* gone : {"before", "new"}) {
    CAPTURE(gone);
    CHECK_FALSE(events.keeps(object_event("secret", "create", gone)));
    CHECK(events.keeps(object_event("secret", "remove", gone)));
    CHECK_FALSE(events.keeps(object_event("secret", "remove", gone)));
  }
  CHECK_FALSE(events.keeps(object_event("secret", "remove", "theirs")));
}

TEST_CASE("a volume's name may have been another project's before") {
  Events events;
  CHECK_FALSE(events.keeps(volume_event("remove", "p1-data", before)));
  CHECK(events.keeps(volume_event("create", "p1-data", created)));
  CHECK(events.keeps(volume_event("remove", "p1-data", after)));
  CHECK_FALSE(events.keeps(volume_event("remove", "p1-data", after)));

  // Another project takes the name.
  events.now(Kind::Volume, "p1-data", parsed(R"({"Name":"p1-data","Labels":{"appx.project":"p10"}})"));
  CHECK_FALSE(events.keeps(volume_event("create", "p1-data", after)));
  CHECK_FALSE(events.keeps(volume_event("remove", "p1-data", after)));

  // And we take it back.
  events.now(Kind::Volume, "p1-data",
             parsed(R"({"Name":"p1-data","CreatedAt":"2026-11-29T22:37:00Z","Labels":{"appx.project":"p1"}})"));
  CHECK(events.keeps(volume_event("create", "p1-data", "1795991820000000001")));
}

TEST_CASE("a name that another project created anew is not ours, even if our removal was missed") {
  Events events;
  events.now(Kind::Volume, "p1-data", parsed(R"({"Name":"p1-data","Labels":{"appx.project":"p10"}})"));
  CHECK_FALSE(events.keeps(volume_event("create", "p1-data", after)));
  CHECK_FALSE(events.keeps(volume_event("remove", "p1-data", after)));
}

TEST_CASE("a volume that is gone again before it could be asked about has no owner that could be told") {
  Events events;
  CHECK_FALSE(events.keeps(volume_event("create", "short-lived", after)));
  CHECK_FALSE(events.keeps(volume_event("remove", "short-lived", after)));
}

TEST_CASE("image events are told by the ledger, by name where they have one") {
  Events events;
  events.ledger.tags.insert({"p1", "registry.example/team/second:2"});
  events.ledger.holds.insert({"p1", id('b')});
  CHECK(events.keeps(image_event("pull", "", "registry.example/team/second:2")));
  CHECK(events.keeps(image_event("remove", id('b'), id('b'))));
  CHECK_FALSE(events.keeps(image_event("pull", "", "registry.example/team/app:1")));
  CHECK_FALSE(events.keeps(image_event("tag", id('b'), "registry.example/team/app:2")));  // their name on our image
  CHECK_FALSE(events.keeps(image_event("pull", "", "localhost/bb:latest")));              // shared: everybody's
  CHECK_FALSE(events.keeps(image_event("remove", std::string(image_id), "")));
  events.ledger.tags.insert({"p1", "localhost/once-ours:1"});  // pulled before policy shared it
  CHECK_FALSE(events.keeps(image_event("pull", "", "localhost/once-ours:1")));
}

TEST_CASE("the removal of an own image is told even when the ledger has forgotten it, once") {
  Events events;
  const std::pair<std::string, std::string> own{"p1", "registry.example/team/second:2"};
  events.ledger.tags.insert(own);
  CHECK(events.keeps(image_event("pull", "", own.second)));
  events.ledger.tags.erase(own);
  CHECK(events.keeps(image_event("untag", id('b'), own.second)));
  CHECK(events.keeps(image_event("delete", id('b'), own.second)));
  CHECK_FALSE(events.keeps(image_event("delete", id('b'), own.second)));

  // Untagged only; then another project takes the name and removes it.
  events.ledger.tags.insert(own);
  CHECK(events.keeps(image_event("pull", "", own.second)));
  events.ledger.tags.erase(own);
  CHECK(events.keeps(image_event("untag", id('b'), own.second)));
  CHECK_FALSE(events.keeps(image_event("pull", "", own.second)));
  CHECK_FALSE(events.keeps(image_event("delete", id('b'), own.second)));
}

TEST_CASE("the lists are asked before the stream begins, once") {
  Recorded world(Method::Get, "/v1.41/events");
  auto decision = decide(world.exchange);
  while (auto* ask = std::get_if<Ask>(&decision)) {
    world.answer(*ask);
    decision = decide(world.exchange);
  }
  REQUIRE(std::holds_alternative<Forward>(decision));
  const int asked = world.questions;
  LineJudge judge(Answer::EventLines, world.exchange);
  CHECK(world.judged(judge, volume_event("remove", "p1-data", after)).has_value());
  CHECK(world.questions == asked);
}
