// Manifest lists: whose they are, what may be in them, and what the ledger records.
#include <doctest/doctest.h>

#include "rules/answer.hpp"
#include "world.hpp"

using namespace podfence::tests;

namespace {

using Change = Claim::Change;

const std::string base = "/v5.4.0/libpod/manifests/";
const std::string list = "localhost/list:latest";
const std::string sent_list = base + "localhost%2Flist%3Alatest";
const std::string digest = "sha256:" + id('9');

/// p1 has a list, p10 another one; the engine is one that lists images beside them.
World with_lists() {
  auto world = one_of_every_kind();
  world.engine = "5.4.2";
  world.manifests = {list, "localhost/theirs:latest", "localhost/nobodys:latest"};
  world.ledger.tags.insert({{"p1", list}, {"p10", "localhost/theirs:latest"}});
  world.ledger.made_tags = {{"p1", list}, {"p10", "localhost/theirs:latest"}};
  world.ledger.holds.insert({{"p1", list}, {"p10", "localhost/theirs:latest"}});
  return world;
}

std::string content_of(const Decision& decision) {
  const auto* forward = std::get_if<Forward>(&decision);
  return forward ? forward->request.content.value_or("none") : rule_of(decision);
}

std::string adding(const std::string& image) { return R"({"operation":"update","images":[")" + image + R"("]})"; }

std::string texts_of(const std::vector<Claim>& claims) {
  const std::map<Change, std::string> words = {{Change::HoldImage, "hold "},
                                               {Change::DropImage, "drop image "},
                                               {Change::MakeTag, "make "},
                                               {Change::DropTag, "drop "},
                                               {Change::RenewCacheKey, "renew"}};
  std::string text;
  for (const auto& claim : claims) text += words.at(claim.change) + claim.what + ";";
  return text;
}

/// What the ledger records behind upstream's answer. `there`: is the list there by then?
std::string recorded(World& world, Method method, const std::string& target, const std::string& answer, bool there) {
  Request request;
  request.method = method;
  request.target = std::get<Target>(parse_target(target));
  const auto match = std::get<Match>(route(method, request.target));
  Facts facts(world.project, world.ledger, world.memory, world.usage);
  Exchange exchange{world.project, match, request, facts};
  const auto decision = world.settle(exchange);
  REQUIRE(std::holds_alternative<Forward>(decision));
  for (const auto& claim : std::get<Forward>(decision).before)
    if (claim.change == Change::MakeTag) world.ledger.tags.insert({"p1", claim.what});
  if (there) world.manifests.insert("localhost/new:latest");
  LineJudge judge(match.endpoint->answer, exchange);
  judge.judge(answer);
  auto result = judge.finish();
  if (const auto* ask = std::get_if<Ask>(&result)) {
    for (const auto& question : ask->questions) world.answer(facts, question);
    result = judge.finish();
  }
  return texts_of(std::get<std::vector<Claim>>(result));
}

}  // namespace

TEST_CASE("a list gets a free or own name, which is the project's before upstream hears of it") {
  auto world = with_lists();
  const auto made = world.decide(Method::Post, base + "new?amend=true&all=true");
  CHECK(target_of(made) == base + "localhost%2Fnew%3Alatest?amend=true&all=true");
  CHECK(texts_of(std::get<Forward>(made).before) == "make localhost/new:latest;");
  CHECK(texts_of(std::get<Forward>(made).on_failure) == "drop localhost/new:latest;");
  CHECK(target_of(world.decide(Method::Post, base + "list")) == sent_list);
  for (const auto& [name, rule] : {std::pair<std::string, std::string>{"localhost/theirs", "image.tag-taken"},
                                   {"docker.io/library/theirs:1", "image.tag-taken"},
                                   {"localhost/shared/new", "image.shared"},
                                   {"localhost/0123456789ab", "name.id-like"},
                                   {id('1'), "image.reference"},
                                   {"localhost/new@" + digest, "image.reference"},
                                   {"dir:%2Ftmp%2Fx", "image.reference"}}) {
    CAPTURE(name);
    CHECK(rule_of(world.decide(Method::Post, base + name)) == rule);
  }
}

TEST_CASE("before 5.0 a list could break everybody's lists: refused, unless policy opens it") {
  for (const auto& [engine, rule] : {std::pair<std::string, std::string>{"4.3.1", "manifest.engine"},
                                     {"4.9.9", "manifest.engine"},
                                     {"", "manifest.engine"},
                                     {"5.0.0", ""}}) {
    CAPTURE(engine);
    auto world = with_lists();
    world.engine = engine;
    CHECK(rule_of(world.decide(Method::Post, base + "new")) == rule);
    world.project.policy.manifests = true;
    CHECK(rule_of(world.decide(Method::Post, base + "new")) == "");
  }
}

TEST_CASE("members are own and shared images, by their ids, and those of registries that the project may use") {
  const std::string store = "containers-storage:@";
  const std::pair<std::string, std::string> members[] = {
      {"mine:1", store + id('2')},
      {"containers-storage:mine:1", store + id('2')},
      {id('2'), store + id('2')},
      {"localhost/shared/base", store + id('1')},
      {"docker://mine:1", "docker://docker.io/library/mine:1"},
      {"quay.io/a/b", "docker://quay.io/a/b:latest"},
      {"docker://quay.io/a/b@" + digest, "docker://quay.io/a/b@" + digest},
  };
  for (const auto& [said, sent] : members) {
    CAPTURE(said);
    auto world = with_lists();
    CHECK(content_of(world.decide(Method::Put, base + "list", adding(said))) == adding(sent));
    CHECK(target_of(world.decide(Method::Post, base + "new?images=" + encode(said))) ==
          base + "localhost%2Fnew%3Alatest?images=" + encode(sent));
  }
  const std::pair<std::string, std::string> refused[] = {
      {"containers-storage:theirs:1", "ownership.hidden"},
      {id('3'), "ownership.hidden"},
      {"sha256:" + id('3'), "ownership.hidden"},
      {"containers-storage:@" + id('3'), "manifest.member"},
      {"containers-storage:[overlay@/x]mine:1", "manifest.member"},
      {"dir:/x", "manifest.member"},
      {"oci:/x", "manifest.member"},
      {"docker-archive:/x.tar", "manifest.member"},
      {"docker://" + id('3'), "manifest.member"},
      {"docker://dir:/x", "manifest.member"},
      {"localhost/nobodys", "registry.refused"},
      {"docker://127.0.0.1:5000/x", "registry.refused"},
  };
  for (const auto& [said, rule] : refused) {
    CAPTURE(said);
    auto world = with_lists();
    CHECK(rule_of(world.decide(Method::Put, base + "list", adding(said))) == rule);
    CHECK(rule_of(world.decide(Method::Post, base + "new", adding(said))) == rule);
    CHECK(rule_of(world.decide(Method::Post, base + "new?images=" + encode(said))) == rule);
  }
}

TEST_CASE("what is in a list is named by its digest; artifacts are files of the host") {
  auto world = with_lists();
  const auto change = [&](const std::string& content) { return world.decide(Method::Put, base + "list", content); };
  CHECK(content_of(change(R"({"operation":"remove","images":[")" + digest + R"("]})")) ==
        R"({"operation":"remove","images":[")" + digest + R"("]})");
  CHECK(content_of(
            change(R"({"operation":"annotate","images":[")" + digest + R"("],"arch":"arm64","annotation":["a=b"]})")) ==
        R"({"operation":"annotate","images":[")" + digest + R"("],"arch":"arm64","annotation":["a=b"]})");
  CHECK(rule_of(change(R"({"operation":"annotate","images":["mine:1"]})")) == "image.reference");
  CHECK(rule_of(change(R"({"operation":"explode","images":[]})")) == "field.value");
  CHECK(rule_of(change(R"({"operation":"update","artifact_files":["/etc/passwd"]})")) == "mount.host-path");
  CHECK(rule_of(change(R"({"operation":"update","subject":"quay.io/x"})")) == "field.refused");
}

TEST_CASE("only own lists are there, whatever is asked") {
  for (const auto* name : {"theirs", "localhost/theirs:latest", "nobodys", "absent", "mine:1"}) {
    CAPTURE(name);
    auto world = with_lists();
    const auto path = base + name;
    CHECK(rule_of(world.decide(Method::Get, path + "/exists")) == "ownership.hidden");
    CHECK(rule_of(world.decide(Method::Get, path + "/json")) == "ownership.hidden");
    CHECK(rule_of(world.decide(Method::Put, path, adding("mine:1"))) == "ownership.hidden");
    CHECK(rule_of(world.decide(Method::Delete, path)) == "ownership.hidden");
    CHECK(rule_of(world.decide(Method::Post, path + "/registry/quay.io%2Fme%2Fx")) == "ownership.hidden");
  }
  auto world = with_lists();
  CHECK(std::get<Reply>(world.decide(Method::Get, base + "list/exists")).status == 204);
  CHECK(target_of(world.decide(Method::Delete, base + "list?ignore=true")) == sent_list);
}

TEST_CASE("a list is inspected by its id, for whose absence no registry of the client's choice is asked") {
  auto world = with_lists();
  CHECK(rule_of(world.decide(Method::Get, base + "list/json")) == "ownership.hidden");
  world.image(id('8'), {list});
  CHECK(target_of(world.decide(Method::Get, base + "list/json")) == base + id('8') + "/json");
}

TEST_CASE("a push goes to a registry that the project may use, and to no directory") {
  auto world = with_lists();
  const auto pushed =
      world.decide(Method::Post, base + "list/registry/quay.io%2Fme%2Fx:1?all=true&quiet=false&tlsVerify=true");
  CHECK(target_of(pushed) == sent_list + "/registry/quay.io%2Fme%2Fx%3A1?all=true&quiet=false");
  CHECK(texts_of(std::get<Forward>(pushed).before) == "renew;");
  CHECK(target_of(world.decide(Method::Post, base + "localhost/list/registry/docker:%2F%2Fquay.io%2Fx")) ==
        sent_list + "/registry/quay.io%2Fx%3Alatest");
  for (const auto& [destination, rule] : {std::pair<std::string, std::string>{"dir:%2Ftmp%2Fx", "image.reference"},
                                          {"oci-archive:%2Ftmp%2Fx", "image.reference"},
                                          {"dir:5000%2Fx", "image.reference"},
                                          {"dir:%2F%2Fx", "target.path"},
                                          {"127.0.0.1:5000%2Fx", "registry.refused"},
                                          {"quay.io%2Fx@" + digest, "image.reference"}}) {
    CAPTURE(destination);
    CHECK(rule_of(world.decide(Method::Post, base + "list/registry/" + destination)) == rule);
  }
}

TEST_CASE("the endpoints of old versions are not served") {
  auto world = with_lists();
  for (const auto* target :
       {"/v3.4.0/libpod/manifests/list", "/v3.4.0/libpod/manifests/list/push?destination=quay.io/x",
        "/v3.4.0/libpod/manifests/create?name=new", "/v3.4.0/libpod/manifests/list/add"})
    CHECK(rule_of(world.decide(Method::Post, target)) == "endpoint.old-manifest");
  CHECK(rule_of(world.decide(Method::Delete, "/v3.4.0/libpod/manifests/list")) == "endpoint.old-manifest");
  CHECK(rule_of(world.decide(Method::Delete, base + "list?digest=" + digest)) == "query.unknown");
}

TEST_CASE("what was made is held by its name; a name is given back when nothing was made") {
  const auto created = base + "new";
  const auto made = R"({"Id":")" + id('8') + R"("})";
  const std::string failed = R"({"cause":"x"})";
  {
    auto world = with_lists();
    CHECK(recorded(world, Method::Post, created, made, true) == "hold localhost/new:latest;");
  }
  {
    auto world = with_lists();
    CHECK(recorded(world, Method::Post, created, failed, true) == "hold localhost/new:latest;");
  }
  {
    auto world = with_lists();
    CHECK(recorded(world, Method::Post, created, failed, false) == "drop localhost/new:latest;");
  }
  auto world = with_lists();
  CHECK(recorded(world, Method::Post, base + "mine:1", failed, false) == "drop localhost/mine:1;");
  CHECK(recorded(world, Method::Post, base + "docker.io%2Flibrary%2Fmine:1", failed, false).empty());
  CHECK(recorded(world, Method::Put, base + "list", made, false).empty());
  CHECK(recorded(world, Method::Post, base + "list/registry/quay.io%2Fx", R"({"Id":")" + digest + R"("})", false)
            .empty());
  CHECK(recorded(world, Method::Delete, base + "list", R"({"Deleted":[")" + id('8') + R"("]})", false) ==
        "drop " + list + ";drop image " + list + ";");
  CHECK(recorded(world, Method::Delete, base + "list", R"({"Errors":["in use"]})", false).empty());
}

TEST_CASE("podman manifest rm asks for a removal of images; only own lists go, as lists") {
  auto world = with_lists();
  const auto decision = world.decide(
      Method::Delete, "/v4.3.1/libpod/images/remove?images=list&images=theirs&images=mine:1&lookupmanifest=true");
  REQUIRE(std::holds_alternative<Batch>(decision));
  const auto& items = std::get<Batch>(decision).items;
  REQUIRE(items.size() == 1);
  CHECK(items[0].request.target == "/v4.0.0/libpod/manifests/localhost%2Flist%3Alatest");
  CHECK(texts_of(items[0].on_success) == "drop " + list + ";drop image " + list + ";");
  CHECK(rule_of(world.decide(Method::Delete, "/v4.3.1/libpod/images/list?lookupManifest=true")) == "query.refused");
}

TEST_CASE("an image does not take the name of a list, which nobody could find then") {
  auto world = with_lists();
  CHECK(rule_of(world.decide(Method::Post, "/v5.4.0/libpod/images/mine:1/tag?repo=localhost/list&tag=latest")) ==
        "image.tag-taken");
  CHECK(rule_of(world.decide(Method::Post, "/v5.4.0/libpod/commit?container=web&repo=localhost/list")) ==
        "image.tag-taken");
  world.ledger.tags.insert({"p1", "quay.io/a/list:1"});
  world.ledger.holds.insert({"p1", "quay.io/a/list:1"});
  CHECK(rule_of(world.decide(Method::Post, "/v5.4.0/libpod/images/pull?reference=quay.io/a/list:1")) ==
        "image.tag-taken");
}

TEST_CASE("as many lists and images as the quota says") {
  auto world = with_lists();
  world.project.policy.quota(Resource::Images) = world.ledger.images("p1");
  CHECK(rule_of(world.decide(Method::Post, base + "new")) == "quota.exceeded");
}
