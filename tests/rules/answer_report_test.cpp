#include <doctest/doctest.h>

#include "tests/rules/recorded.hpp"

using namespace podfence::tests;

namespace {

Outcome done(std::string name) { return {std::move(name), 204, ""}; }
Outcome failed(std::string name, int status, std::string message) {
  return {std::move(name), status,
          R"({"cause":"c","message":")" + message + R"(","response":)" + std::to_string(status) + "}"};
}

Reply reported(Recorded& world, const std::vector<Outcome>& outcomes) {
  for (int round = 0; round < 8; ++round) {
    auto reply = report(world.exchange, outcomes);
    if (world.facts.complete()) return reply;
    world.answer({world.facts.take_open()});
  }
  throw std::logic_error("a report settles within eight rounds");
}

std::string of(const char* target, const std::vector<Outcome>& outcomes, Method method = Method::Post) {
  Recorded world(method, target);
  return reported(world, outcomes).content;
}

const std::string bb = "localhost/bb:latest";
const std::string own = "registry.example/team/second:2";
const std::string own_id = "b941938bb50e90d2c0e0fbb89476b61675bc63ac212eef21188d4eee9b2c504a";

/// p1 held the image and owned its name until the batch took both away.
void removed_from_ledger(Recorded& world, const std::vector<std::string>& tags) {
  auto names = json::Value::array();
  for (const auto& tag : tags) names.push(tag);
  json::Value image;
  image.set("Id", own_id);
  image.set("RepoTags", std::move(names));
  image.set("Size", json::Value::integer(11335));
  world.ledger.holds.insert({"p1", own_id});
  for (const auto& tag : tags) world.now(Kind::Image, tag, image);
  for (const auto& tag : tags)
    while (!world.facts.find(Kind::Image, tag)) world.answer({world.facts.take_open()});
  world.ledger.holds.erase({"p1", own_id});
}

}  // namespace

TEST_CASE("reports of prunes have Podman's form") {
  const auto two = std::vector<Outcome>{done("a"), done("b")};
  CHECK(of("/v1.41/containers/prune", two) == R"({"ContainersDeleted":["a","b"],"SpaceReclaimed":0})"
                                              "\n");
  CHECK(of("/v1.41/volumes/prune", two) == R"({"VolumesDeleted":["a","b"],"SpaceReclaimed":0})"
                                           "\n");
  CHECK(of("/v1.41/networks/prune", two) == R"({"NetworksDeleted":["a","b"]})"
                                            "\n");
  CHECK(of("/v4.3.1/libpod/containers/prune", two) == R"([{"Id":"a","Size":0},{"Id":"b","Size":0}])"
                                                      "\n");
  CHECK(of("/v4.3.1/libpod/volumes/prune", two) == R"([{"Id":"a","Size":0},{"Id":"b","Size":0}])"
                                                   "\n");
  CHECK(of("/v4.3.1/libpod/networks/prune", two) == R"([{"Name":"a","Error":null},{"Name":"b","Error":null}])"
                                                    "\n");
  CHECK(of("/v4.3.1/libpod/pods/prune", two) == R"([{"Id":"a","Err":null},{"Id":"b","Err":null}])"
                                                "\n");
}

TEST_CASE("the forms are those of the recording") {
  const struct {
    const char* target;
    const char* file;
  } rows[] = {{"/v1.41/volumes/prune", "docker_volume_prune.json"},
              {"/v1.41/networks/prune", "docker_network_prune.json"},
              {"/v4.3.1/libpod/volumes/prune", "libpod_volume_prune.json"},
              {"/v4.3.1/libpod/networks/prune", "libpod_network_prune.json"}};
  for (const auto& row : rows) {
    CAPTURE(row.target);
    const bool networks = std::string_view(row.target).find("networks") != std::string_view::npos;
    CHECK(of(row.target, networks ? std::vector<Outcome>{done("xn1"), done("xn0")}
                                  : std::vector<Outcome>{done("xv0"), done("xv1")}) == recording(row.file));
  }
}

TEST_CASE("an empty batch has an empty report") {
  CHECK(of("/v1.41/containers/prune", {}) == R"({"ContainersDeleted":[],"SpaceReclaimed":0})"
                                             "\n");
  CHECK(of("/v4.3.1/libpod/containers/prune", {}) == "[]\n");
  CHECK(of("/v1.41/images/prune", {}) == R"({"ImagesDeleted":[],"SpaceReclaimed":0})"
                                         "\n");
  CHECK(of("/v4.3.1/libpod/images/prune", {}) == "[]\n");
}

TEST_CASE("what was in use or gone is not in the report of a prune") {
  const std::vector<Outcome> outcomes{failed("a", 409, "in use"), done("b"), failed("c", 404, "no such volume")};
  CHECK(of("/v4.3.1/libpod/volumes/prune", outcomes) == R"([{"Id":"b","Size":0}])"
                                                        "\n");
  CHECK(of("/v1.41/volumes/prune", outcomes) == R"({"VolumesDeleted":["b"],"SpaceReclaimed":0})"
                                                "\n");
}

TEST_CASE("an image that the project no longer holds is deleted for it, whoever else has it") {
  const std::string by_tag = "/images/registry.example%2Fteam%2Fsecond:2";
  // Deleted, untagged, or nothing sent at all: the same report.
  for (const auto& outcome : {Outcome{own, 200, R"({"Deleted":["x"],"Untagged":["y"],"ExitCode":0,"Errors":[]})"},
                              Outcome{own, 201, "\n"}, Outcome{own, 200, ""}}) {
    Recorded docker(Method::Delete, "/v1.41" + by_tag);
    removed_from_ledger(docker, {own});
    CHECK(reported(docker, {outcome}).content ==
          R"([{"Deleted":")" + own_id + R"("},{"Untagged":")" + own + R"("}])" + "\n");
    Recorded libpod(Method::Delete, "/v4.3.1/libpod" + by_tag);
    removed_from_ledger(libpod, {own});
    CHECK(reported(libpod, {outcome}).content == recording("libpod_image_removed.json"));
  }
}

TEST_CASE("an image that the project still holds was untagged only") {
  Recorded world(Method::Delete, "/v1.41/images/registry.example%2Fteam%2Fsecond:2");
  removed_from_ledger(world, {own});
  world.ledger.holds.insert({"p1", own_id});
  CHECK(reported(world, {{own, 201, "\n"}}).content == R"([{"Untagged":"registry.example/team/second:2"}])"
                                                       "\n");
}

TEST_CASE("one image that could not be removed is an error, of a batch it is in the report") {
  const auto error =
      failed(own, 409, "image used by " + std::string(foreign_web_id) + ": image is in use by a container");
  Recorded one(Method::Delete, "/v1.41/images/registry.example%2Fteam%2Fsecond:2");
  const auto reply = reported(one, {error});
  CHECK(reply.status == 409);
  CHECK(parsed(reply.content).text("message") == "image used by <hidden>: image is in use by a container");

  Recorded batch(Method::Delete,
                 "/v4.3.1/libpod/images/remove?images=registry.example/team/second:2&images=localhost/x:1");
  removed_from_ledger(batch, {own, "localhost/x:1"});
  CHECK(reported(batch, {error, done("localhost/x:1")}).content ==
        R"({"Deleted":[")" + own_id + R"("],"Untagged":["localhost/x:1"],"ExitCode":2,)" +
            R"("Errors":["image used by <hidden>: image is in use by a container"]})" + "\n");
}

TEST_CASE("of a batch, what is not there is an error, but for those who said that they ignore it") {
  const auto said = [](const std::string& query) {
    Recorded batch(Method::Delete, "/v5.4.2/libpod/images/remove?images=localhost/absent" + query);
    return reported(batch, {}).content;
  };
  CHECK(said("") == R"({"ExitCode":1,"Errors":["localhost/absent: image not known"]})" + std::string("\n"));
  CHECK(said("&ignore=false") == said(""));
  CHECK(said("&ignore=true") == R"({"ExitCode":0,"Errors":[]})" + std::string("\n"));
}

TEST_CASE("of a batch, an image that something was done about is not absent, by whatever word it was asked for") {
  Recorded batch(Method::Delete, "/v4.3.1/libpod/images/remove?images=" + own + "&images=localhost/x:1&images=" + own +
                                     "&images=localhost/absent");
  removed_from_ledger(batch, {own, "localhost/x:1"});
  CHECK(reported(batch, {done(own)}).content ==
        R"({"Deleted":[")" + own_id + R"("],"Untagged":[")" + own +
            R"("],"ExitCode":1,"Errors":["localhost/absent: image not known"]})" + "\n");
}

TEST_CASE("a new network has no warning about the option that podfence adds, and keeps others") {
  const auto shown = [](const std::string& warning) {
    Recorded world(Method::Post, "/v1.41/networks/create");
    const auto result =
        rewrite_answer(world.match.endpoint->answer, world.exchange, R"({"Id":"a","Warning":")" + warning + R"("})");
    REQUIRE(std::holds_alternative<std::string>(result));
    return std::get<std::string>(result);
  };
  CHECK(shown(R"(\"isolate: true\" is not a recognized option)") == R"({"Id":"a","Warning":""})" + std::string("\n"));
  CHECK(shown("another") == R"({"Id":"a","Warning":"another"})" + std::string("\n"));
}

TEST_CASE("images that were pruned are reported with their size") {
  for (const auto* target : {"/v1.41/images/prune", "/v4.3.1/libpod/images/prune"}) {
    CAPTURE(target);
    Recorded world(Method::Post, target);
    const auto content = reported(world, {{bb, 200, ""}}).content;
    CHECK(content == (std::string_view(target).find("libpod") == std::string_view::npos
                          ? R"({"ImagesDeleted":[{"Deleted":")" + std::string(image_id) + R"("},{"Untagged":")" + bb +
                                R"("}],"SpaceReclaimed":2131368})" + "\n"
                          : R"([{"Id":")" + std::string(image_id) + R"(","Size":2131368}])" + "\n"));
  }
}

TEST_CASE("very many images may be pruned at once") {
  Recorded world(Method::Post, "/v4.3.1/libpod/images/prune");
  const int count = 20'000;
  json::Array images;
  std::vector<Outcome> outcomes;
  for (int number = 0; number < count; ++number) {
    const auto digits = std::to_string(number);
    const auto name = "localhost/" + digits + ":1";
    json::Value image;
    image.set("Id", std::string(64 - digits.size(), '0') + digits);
    image.set("RepoTags", json::Array{name});
    image.set("Size", json::Value::integer(number));
    images.push_back(std::move(image));
    outcomes.push_back(done(name));
  }
  REQUIRE(world.facts.learn({Question::Ask::List, Kind::Image, ""}, 200, json::write(images)));
  // Quadratic work would take minutes here.
  const auto rows = parsed(reported(world, outcomes).content);
  REQUIRE(rows.items()->size() == count);
  CHECK(rows.items()->back().text("Id") == std::string(59, '0') + "19999");
  CHECK(rows.items()->back().int64("Size") == 19999);
}

TEST_CASE("the report of one removal repeats the client's word, not the id that was sent") {
  const std::string web(web_id);
  Recorded container(Method::Delete, "/v4.3.1/libpod/containers/p1-web?force=true");
  const auto shown = [](Recorded& world, const std::string& content) {
    for (;;) {
      auto result = rewrite_answer(world.match.endpoint->answer, world.exchange, content);
      if (auto* text = std::get_if<std::string>(&result)) return *text;
      if (std::holds_alternative<Deny>(result)) return std::string("deny");
      world.answer(std::get<Ask>(result));
    }
  };
  CHECK(shown(container, R"([{"Id":")" + web + R"(","RawInput":")" + web + R"("},{"Id":"x","Err":"by )" +
                             std::string(foreign_web_id) + R"("}])") ==
        R"([{"Id":")" + web + R"(","RawInput":"p1-web"},{"Id":"x","Err":"by <hidden>"}])" + "\n");
  CHECK(shown(container, "null") == "[]\n");
  CHECK(shown(container, "{}") == "deny");
  Recorded network(Method::Delete, "/v4.3.1/libpod/networks/p1-net");
  CHECK(shown(network, R"([{"Name":"e1955d6ed7eba3d6d48541ca9330b1736a24ef806743f8a8633431af6b18f397","Err":null}])") ==
        R"([{"Name":"p1-net","Err":null}])"
        "\n");
}
