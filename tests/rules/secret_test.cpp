// Secrets: what goes upstream, what is refused, and what the ledger records.
#include "rules/secret.hpp"

#include <doctest/doctest.h>

#include "rules/answer.hpp"
#include "world.hpp"

using namespace podfence::tests;

namespace {

using Change = Claim::Change;

const std::string own_id = "0a1b2" + std::string(20, '1');
const std::string other_id = "0c3d4" + std::string(20, '2');
const std::string create = "/v4.0.0/libpod/secrets/create?";
const std::string labels = "&driver=file&labels=%7B%22appx.project%22%3A%22p1%22%7D";

World with_secrets() {
  auto world = one_of_every_kind();
  world.secret("mine", own_id, "p1");
  world.secret("theirs", other_id, "p10");
  return world;
}

std::string content_of(const Decision& decision) {
  const auto* forward = std::get_if<Forward>(&decision);
  return forward ? forward->request.content.value_or("none") : rule_of(decision);
}

/// Decides, and gives upstream's answer to the rule of its endpoint.
std::vector<Claim> claims_after(World& world, std::string_view target, const std::string& answer) {
  Request request;
  request.method = Method::Post;
  request.target = std::get<Target>(parse_target(target));
  request.bytes = "value";
  const auto match = std::get<Match>(route(request.method, request.target));
  Facts facts(world.project, world.ledger, world.memory, world.usage);
  Exchange exchange{world.project, match, request, facts};
  REQUIRE(std::holds_alternative<Forward>(world.settle(exchange)));
  LineJudge judge(match.endpoint->answer, exchange);
  judge.judge(answer);
  return std::get<std::vector<Claim>>(judge.finish());
}

std::string container_with(std::string_view members) {
  return R"({"image":"localhost/shared/base","netns":{"nsmode":"none"},)" + std::string(members) + "}";
}

}  // namespace

TEST_CASE("a secret is made with the file driver, the project's label and the value as it came") {
  auto world = with_secrets();
  const std::string value("a\0b\xff\n", 5);
  const auto made = world.decide(Method::Post, create + "name=new&driver=file&driveropts=%7B%7D", value);
  CHECK(target_of(made) == create + "name=new" + labels);
  CHECK(content_of(made) == value);
  const auto labelled = world.decide(Method::Post, create + "name=new&labels=%7B%22a%22%3A%22b%22%7D", "v");
  CHECK(target_of(labelled) ==
        create + "name=new&driver=file&labels=%7B%22a%22%3A%22b%22%2C%22appx.project%22%3A%22p1%22%7D");
  CHECK(content_of(
            world.decide(Method::Post, "/v1.41/secrets/create", R"({"Name":"new","Data":"dg==","Labels":null})")) ==
        R"({"Name":"new","Data":"dg==","Driver":{"Name":"file"},"Labels":{"appx.project":"p1"}})");
}

TEST_CASE("other drivers, options, labels of others and names that are none are refused") {
  const std::pair<std::string, std::string> libpod[] = {
      {"name=new&driver=shell", "secret.driver"},
      {"name=new&DRIVER=pass", "secret.driver"},
      {"name=new&driveropts=%7B%22path%22%3A%22/x%22%7D", "secret.driver"},
      {"name=new&labels=%7B%22appx.project%22%3A%22p10%22%7D", "ownership.label"},
      {"name=new&labels=%7B%22appx.project.secrets%22%3A%22x%22%7D", "label.reserved"},
      {"name=new&labels=%5B%5D", "query.value"},
      {"name=new&labels=%7B%22a%22%3A1%7D", "query.value"},
      {"name=0123456789ab", "name.id-like"},
      {"name=a%2Fb", "name.syntax"},
      {"", "name.syntax"},
      {"name=new&path=/x", "query.unknown"},
  };
  for (const auto& [query, rule] : libpod) {
    CAPTURE(query);
    auto world = with_secrets();
    CHECK(rule_of(world.decide(Method::Post, create + query, "v")) == rule);
  }
  const std::pair<std::string, std::string> docker[] = {
      {R"({"Name":"new","Data":"dg==","Driver":{"Name":"shell"}})", "secret.driver"},
      {R"({"Name":"new","Data":"dg==","Driver":{"Name":"file","Options":{"path":"/x"}}})", "secret.driver"},
      {R"({"Name":"new","Data":"dg==","Labels":{"appx.project":"p10"}})", "ownership.label"},
      {R"({"Data":"dg=="})", "name.syntax"},
      {R"({"Name":"0123456789ab","Data":"dg=="})", "name.id-like"},
      {R"({"Name":"new","Data":7})", "field.type"},
  };
  for (const auto& [content, rule] : docker) {
    CAPTURE(content);
    auto world = with_secrets();
    CHECK(rule_of(world.decide(Method::Post, "/v1.41/secrets/create", content)) == rule);
  }
}

TEST_CASE("no refusal repeats a value") {
  auto world = with_secrets();
  for (const auto* content :
       {R"({"Name":"new","Data":["hush"]})", R"({"Name":"new","Data":"hush","Driver":{"Name":"shell"}})",
        R"({"Name":"theirs","Data":"hush"})"}) {
    const auto decision = world.decide(Method::Post, "/v1.41/secrets/create", content);
    REQUIRE(std::holds_alternative<Deny>(decision));
    CHECK(std::get<Deny>(decision).subject.find("hush") == std::string::npos);
  }
}

TEST_CASE("a name is free, the project's own, or taken; the beginning of an id is no name") {
  for (const auto* flag : {"", "&replace=true", "&ignore=true"}) {
    CAPTURE(flag);
    auto world = with_secrets();
    const auto query = create + "name=";
    CHECK(rule_of(world.decide(Method::Post, query + "theirs" + flag, "v")) == "name.taken");
    CHECK(target_of(world.decide(Method::Post, query + "mine" + flag, "v")) == query + "mine" + flag + labels);
    CHECK(target_of(world.decide(Method::Post, query + "0c3d4" + flag, "v")) == query + "0c3d4" + flag + labels);
  }
  auto world = with_secrets();
  CHECK(rule_of(world.decide(Method::Post, "/v1.41/secrets/create", R"({"Name":"theirs","Data":"dg=="})")) ==
        "name.taken");
}

TEST_CASE("what was made is the project's by its id, and what it replaced no longer") {
  auto world = with_secrets();
  const auto made = claims_after(world, create + "name=new", R"({"ID":"new-id"})");
  REQUIRE(made.size() == 1);
  CHECK(made[0].change == Change::HoldSecret);
  CHECK(made[0].what == "new-id");
  const auto replaced = claims_after(world, create + "name=mine&replace=true", R"({"ID":"new-id"})");
  REQUIRE(replaced.size() == 2);
  CHECK(replaced[0].change == Change::DropSecret);
  CHECK(replaced[0].what == own_id);
  CHECK(replaced[1].what == "new-id");
  CHECK(claims_after(world, create + "name=mine&ignore=true", R"({"ID":")" + own_id + R"("})").size() == 1);
  CHECK(claims_after(world, create + "name=new", R"({"cause":"secret name in use"})").empty());
}

TEST_CASE("the ledger forgets what the engine no longer has when the next one is made") {
  auto world = with_secrets();
  world.ledger.held_secrets.insert({"p1", "gone"});
  const auto decision = world.decide(Method::Post, create + "name=new", "v");
  const auto& before = std::get<Forward>(decision).before;
  REQUIRE(before.size() == 1);
  CHECK(before[0].change == Change::DropSecret);
  CHECK(before[0].what == "gone");
}

TEST_CASE("as many secrets as the quota says") {
  auto world = with_secrets();
  world.project.policy.quota(Resource::Secrets) = 1;
  CHECK(rule_of(world.decide(Method::Post, create + "name=new", "v")) == "quota.exceeded");
  CHECK(target_of(world.decide(Method::Post, create + "name=mine&replace=true", "v")) ==
        create + "name=mine&replace=true" + labels);
  world.project.policy.quota(Resource::Secrets) = 2;
  CHECK(target_of(world.decide(Method::Post, create + "name=new", "v")) == create + "name=new" + labels);
}

TEST_CASE("own secrets are found by name, id and its beginning, others' by nothing") {
  const std::string paths[] = {"/v4.0.0/libpod/secrets/{}/json", "/v1.41/secrets/{}"};
  for (const auto& path : paths)
    for (const auto& [word, own] : {std::pair{std::string("mine"), true},
                                    {own_id, true},
                                    {"0a1b2", true},
                                    {"theirs", false},
                                    {other_id, false},
                                    {"0c3d4", false},
                                    {"nobodys", false}}) {
      CAPTURE(path);
      CAPTURE(word);
      auto world = with_secrets();
      const auto with = [&](const std::string& name) { return std::string(path).replace(path.find("{}"), 2, name); };
      CHECK(target_of(world.decide(Method::Get, with(word))) == (own ? with(own_id) : "ownership.hidden"));
    }
}

TEST_CASE("the value is shown to who may run a container with it") {
  auto world = with_secrets();
  CHECK(target_of(world.decide(Method::Get, "/v1.41/secrets/mine?showsecret=1")) ==
        "/v1.41/secrets/" + own_id + "?showsecret=true");
  CHECK(rule_of(world.decide(Method::Get, "/v1.41/secrets/theirs?showsecret=1")) == "ownership.hidden");
  world.project.policy.read_only = true;
  CHECK(rule_of(world.decide(Method::Get, "/v1.41/secrets/mine?showsecret=1")) == "secret.shown");
  CHECK(target_of(world.decide(Method::Get, "/v1.41/secrets/mine")) == "/v1.41/secrets/" + own_id);
}

TEST_CASE("a removal names the secret by its id, and is refused while a container reads it by its name") {
  for (const auto* path : {"/v1.41/secrets/", "/v4.0.0/libpod/secrets/"}) {
    auto world = with_secrets();
    const auto decision = world.decide(Method::Delete, std::string(path) + "0a1b2");
    REQUIRE(std::holds_alternative<Batch>(decision));
    const auto& items = std::get<Batch>(decision).items;
    REQUIRE(items.size() == 1);
    CHECK(items[0].request.target == "/v4.0.0/libpod/secrets/" + own_id);
    CHECK(items[0].name == "mine");  // which is locked until it has gone
    REQUIRE(items[0].on_success.size() == 1);
    CHECK(items[0].on_success[0].change == Change::DropSecret);
    CHECK(items[0].on_success[0].what == own_id);
    CHECK(rule_of(world.decide(Method::Delete, std::string(path) + "theirs")) == "ownership.hidden");
  }
}

TEST_CASE("which secrets an environment has stands in a label of podfence's own") {
  auto world = with_secrets();
  world.secret("more", "0e5f6" + std::string(20, '3'), "p1");
  const auto made = world.decide(Method::Post, "/v4.0.0/libpod/containers/create",
                                 container_with(R"("secret_env":{"B":"more","A":")" + own_id + R"(","C":"mine"})"));
  const auto document = std::get<json::Value>(json::parse(content_of(made)));
  CHECK(document.find("labels")->text("appx.project.secrets") == "mine,more");
  CHECK(document.find("secret_env")->text("C") == own_id);
  CHECK(rule_of(world.decide(Method::Post, "/v4.0.0/libpod/containers/create",
                             container_with(R"("labels":{"appx.project.secrets":""})"))) == "label.reserved");

  json::Value container = json::Value::object(), own_labels = json::Value::object();
  own_labels.set("appx.project.secrets", "mine,more");
  container.set("Labels", std::move(own_labels));
  CHECK(has_in_environment(world.project, container, "mine"));
  CHECK(has_in_environment(world.project, container, "more"));
  CHECK_FALSE(has_in_environment(world.project, container, "min"));
  CHECK_FALSE(has_in_environment(world.project, container, "mine,more"));
}

TEST_CASE("containers are given own secrets only, by their ids") {
  auto world = with_secrets();
  const auto made = world.decide(Method::Post, "/v4.0.0/libpod/containers/create",
                                 container_with(R"("secrets":[{"Source":"mine","Target":"t","UID":1,"Mode":256}])"));
  CHECK(json::write(*std::get<json::Value>(json::parse(content_of(made))).find("secrets")) ==
        R"([{"Source":")" + own_id + R"(","Target":"t","UID":1,"Mode":256}])");
  for (const auto* word : {"theirs", "0c3d4", "nobodys", ""}) {
    CAPTURE(word);
    const auto source = R"("secrets":[{"Source":"mine"},{"Source":")" + std::string(word) + R"("}])";
    const auto environment = R"("secret_env":{"A":")" + std::string(word) + R"("})";
    CHECK(rule_of(world.decide(Method::Post, "/v4.0.0/libpod/containers/create", container_with(source))) ==
          "ownership.hidden");
    CHECK(rule_of(world.decide(Method::Post, "/v4.0.0/libpod/containers/create", container_with(environment))) ==
          "ownership.hidden");
  }
}

TEST_CASE("lists hold own secrets only, without where the host keeps them, and filters go on") {
  auto world = with_secrets();
  const auto listed = world.decide(Method::Get, "/v1.41/secrets?filters=%7B%22name%22%3A%5B%22%5Em%22%5D%7D");
  CHECK(target_of(listed) == "/v1.41/secrets?filters=%7B%22name%22%3A%5B%22%5Em%22%5D%7D");
  CHECK(rule_of(world.decide(Method::Get, "/v1.41/secrets?filters=%7B%22label%22%3A%5B%22a%22%5D%7D")) ==
        "filter.unknown");

  Request request;
  request.target = std::get<Target>(parse_target("/v4.0.0/libpod/secrets/json"));
  const auto match = std::get<Match>(route(request.method, request.target));
  Facts facts(world.project, world.ledger, world.memory, world.usage);
  Exchange exchange{world.project, match, request, facts};
  const auto item = [](const std::string& id) {
    return R"({"ID":")" + id + R"(","Spec":{"Name":"n","Driver":{"Name":"file","Options":{"path":"/home/x"}}}})";
  };
  const auto reduced = rewrite_answer(Answer::Secrets, exchange, "[" + item(own_id) + "," + item(other_id) + "]");
  CHECK(std::get<std::string>(reduced) == R"([{"ID":")" + own_id +
                                              R"(","Spec":{"Name":"n","Driver":{"Name":"file","Options":{}}}}])"
                                              "\n");
  CHECK(std::get<std::string>(rewrite_answer(Answer::Secrets, exchange, "null")) == "[]\n");
}
