// Requests that name images anew, send them somewhere or make them: what goes upstream, and what the ledger records.
#include <doctest/doctest.h>

#include <algorithm>

#include "rules/image_target.hpp"
#include "world.hpp"

using namespace podfence::tests;

namespace {

using Change = Claim::Change;
using Texts = std::vector<std::string>;

Texts texts_of(const std::vector<Claim>& claims) {
  const std::map<Change, std::string> words = {{Change::HoldImage, "hold "}, {Change::DropImage, "drop image "},
                                               {Change::OwnTag, "own "},     {Change::MakeTag, "make "},
                                               {Change::DropTag, "drop "},   {Change::RenewCacheKey, "renew"}};
  Texts texts;
  for (const auto& claim : claims) texts.push_back(words.at(claim.change) + claim.what.substr(0, 40));
  return texts;
}

Texts before(const Decision& decision) {
  const auto* forward = std::get_if<Forward>(&decision);
  return forward ? texts_of(forward->before) : Texts{rule_of(decision)};
}

Texts after(const Decision& decision) {
  const auto* forward = std::get_if<Forward>(&decision);
  return forward ? texts_of(forward->on_failure) : Texts{rule_of(decision)};
}

const std::string tag_of_mine = "/v1.41/images/" + id('2') + "/tag";

}  // namespace

TEST_CASE("a name that is given is the project's before upstream hears of it, and is free again when nothing comes") {
  auto world = one_of_every_kind();
  const auto tagged = world.decide(Method::Post, "/v1.41/images/mine:1/tag?repo=quay.io/me/new&tag=v1");
  CHECK(target_of(tagged) == tag_of_mine + "?repo=quay.io%2Fme%2Fnew&tag=v1");
  CHECK(before(tagged) == Texts{"make quay.io/me/new:v1"});
  CHECK(after(tagged) == Texts{"drop quay.io/me/new:v1"});

  const auto moved = world.decide(Method::Post, "/v1.41/images/mine:1/tag?repo=mine&tag=2");
  CHECK(before(moved) == Texts{"make docker.io/library/mine:2"});
  CHECK(after(moved).empty());
}

TEST_CASE("a short name means Docker Hub's to one API and localhost's to the other, as Podman has it") {
  auto world = one_of_every_kind();
  world.project.policy.shared_images.clear();
  CHECK(target_of(world.decide(Method::Post, "/v1.41/images/mine:1/tag?repo=new")) ==
        tag_of_mine + "?repo=docker.io%2Flibrary%2Fnew&tag=latest");
  CHECK(target_of(world.decide(Method::Post, "/v4.0.0/libpod/images/mine:1/tag?repo=new&tag=v")) ==
        "/v4.0.0/libpod/images/" + id('2') + "/tag?repo=localhost%2Fnew&tag=v");
  CHECK(target_of(world.decide(Method::Post, "/v4.0.0/libpod/images/mine:1/tag?repo=a/b")) ==
        "/v4.0.0/libpod/images/" + id('2') + "/tag?repo=localhost%2Fa%2Fb&tag=latest");
}

TEST_CASE("names that are another's, the host user's, shared, or no tag at all are refused, whoever gives them") {
  auto world = one_of_every_kind();
  world.image(id('9'), {"quay.io/host/own:1"});
  world.ledger.tags.insert({"p10", "quay.io/p10/gone:1"});  // upstream has no image of that name
  struct Row {
    std::string name, rule;
  };
  const Row rows[] = {
      {"docker.io/library/theirs:1", "image.tag-taken"},
      {"docker.io/library/both:1", "image.tag-taken"},
      {"quay.io/host/own:1", "image.tag-taken"},
      {"quay.io/p10/gone:1", "image.tag-taken"},
      {"localhost/shared/base:latest", "image.shared"},
      {"localhost/shared:none", "image.shared"},
      {"quay.io/me/0123456789ab:1", "name.id-like"},
      {"", "image.reference"},
      {"UPPER:1", "image.reference"},
      {"dir:/tmp/x", "image.reference"},
      {id('2'), "image.reference"},
      {"quay.io/me/x@sha256:" + id('a'), "image.reference"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const auto name = encode(row.name);
    CHECK(rule_of(world.decide(Method::Post, "/v4.0.0/libpod/images/mine:1/tag?repo=" + name)) == row.rule);
    if (row.name.empty()) continue;
    CHECK(rule_of(world.decide(Method::Post, "/v4.0.0/libpod/images/import?reference=" + name)) == row.rule);
    CHECK(rule_of(world.decide(Method::Post, "/v1.41/images/create?fromSrc=-&repo=" + name)) == row.rule);
    CHECK(rule_of(world.decide(Method::Post, "/v1.41/commit?container=web&repo=" + name)) == row.rule);
    CHECK(rule_of(world.decide(Method::Post, "/v4.0.0/libpod/commit?container=web&repo=" + name)) == row.rule);
  }
  CHECK(rule_of(world.decide(Method::Post, "/v1.41/images/mine:1/tag?repo=a:b&tag=c")) == "image.reference");
  CHECK(rule_of(world.decide(Method::Post, "/v1.41/commit?container=web&tag=c")) == "image.reference");
}

TEST_CASE("a host user's manifest list without an image for this host keeps its name") {
  auto world = one_of_every_kind();
  Facts facts(world.project, world.ledger, world.memory, world.usage);
  const Question question{Question::Ask::Object, Kind::Image, "quay.io/host/list:1"};
  REQUIRE(facts.learn(
      question, 404,
      R"({"cause":"image not known","message":"failed to find image x: no image found in manifest list for architecture amd64"})"));
  CHECK(facts.find(Kind::Image, "quay.io/host/list:1")->ownership == Ownership::Foreign);
  const auto routed = route(Method::Post, std::get<Target>(parse_target("/v1.41/images/x/tag")));
  const Request request;
  Exchange exchange{world.project, std::get<Match>(routed), request, facts};
  const auto deny = check_target(exchange, "quay.io/host/list:1");
  REQUIRE(deny);
  CHECK(deny->rule->id == "image.tag-taken");
}

TEST_CASE(
    "an own name of a shared image is the project's to take away, to push and to move, and nothing else of it is") {
  auto world = one_of_every_kind();
  const auto tagged = world.decide(Method::Post, "/v1.41/images/localhost/shared/base/tag?repo=quay.io/me/base");
  CHECK(before(tagged) == Texts{"make quay.io/me/base:latest", "hold " + id('1').substr(0, 40)});
  CHECK(after(tagged) == Texts{"drop quay.io/me/base:latest", "drop image " + id('1').substr(0, 40)});

  World own = one_of_every_kind();
  own.image(id('8'), {"localhost/shared/tool:latest", "quay.io/me/tool:latest"});
  own.ledger.holds.insert({"p1", id('8')});
  own.ledger.tags.insert({"p1", "quay.io/me/tool:latest"});
  CHECK(target_of(own.decide(Method::Post, "/v1.41/images/quay.io/me/tool/push")) ==
        "/v1.41/images/" + id('8') + "/push?destination=quay.io%2Fme%2Ftool%3Alatest");
  CHECK(rule_of(own.decide(Method::Post, "/v1.41/images/localhost/shared/tool/push")) == "image.shared");
  CHECK(rule_of(own.decide(Method::Post, "/v1.41/images/" + id('8') + "/push?destination=quay.io/me/tool")) ==
        "image.shared");
  const auto removed = own.decide(Method::Delete, "/v1.41/images/quay.io/me/tool");
  REQUIRE(std::holds_alternative<Batch>(removed));
  REQUIRE(std::get<Batch>(removed).items.size() == 1);
  CHECK(std::get<Batch>(removed).items[0].request.target ==
        "/v4.0.0/libpod/images/" + id('8') + "/untag?repo=quay.io%2Fme%2Ftool&tag=latest");
  CHECK(rule_of(own.decide(Method::Delete, "/v1.41/images/localhost/shared/tool")) == "image.shared");
  CHECK(rule_of(own.decide(Method::Delete, "/v1.41/images/" + id('8'))) == "image.shared");
}

TEST_CASE("untag takes own names only, one by one, and of a name that others have as well only the record") {
  auto world = one_of_every_kind();
  const std::string path = "/v4.0.0/libpod/images/" + id('2') + "/untag";
  const auto lines = [](const Decision& decision) {
    Texts items;
    if (const auto* batch = std::get_if<Batch>(&decision))
      for (const auto& item : batch->items)
        items.push_back((item.ledger_only ? "record " : "untag ") + item.name + " " + texts_of(item.on_success)[0]);
    return items;
  };
  CHECK(lines(world.decide(Method::Post, path)) ==
        Texts{"untag docker.io/library/mine:1 drop docker.io/library/mine:1",
              "untag docker.io/library/mine:2 drop docker.io/library/mine:2"});
  CHECK(lines(world.decide(Method::Post, path + "?repo=mine&tag=2")) ==
        Texts{"untag docker.io/library/mine:2 drop docker.io/library/mine:2"});
  CHECK(lines(world.decide(Method::Post, "/v4.0.0/libpod/images/both:1/untag")) ==
        Texts{"record docker.io/library/both:1 drop docker.io/library/both:1"});
  for (const auto* name : {"theirs:1", "absent:1", "localhost/shared/base"})
    CHECK(rule_of(world.decide(Method::Post, path + "?repo=" + encode(name))) == "image.tag-unknown");
  CHECK(lines(world.decide(Method::Post, "/v4.0.0/libpod/images/localhost/shared/base/untag")).empty());
}

TEST_CASE("a push sends the id and where to, with the client's credentials or nobody's, and renews the cache key") {
  auto world = one_of_every_kind();
  struct Row {
    std::string target, expected;
  };
  const std::string docker = "/v1.41/images/" + id('2') + "/push",
                    libpod = "/v4.0.0/libpod/images/" + id('2') + "/push";
  const Row rows[] = {
      {"/v1.41/images/mine/push?tag=1", docker + "?destination=docker.io%2Flibrary%2Fmine%3A1"},
      {"/v1.41/images/docker.io/library/mine/push?tag=2", docker + "?destination=docker.io%2Flibrary%2Fmine%3A2"},
      {"/v4.0.0/libpod/images/mine:1/push?quiet=false&destination=docker%3A%2F%2Fquay.io%2Fme%2Fx",
       libpod + "?quiet=false&destination=quay.io%2Fme%2Fx%3Alatest"},
      {libpod + "?destination=quay.io/me/x:2&tlsVerify=true", libpod + "?destination=quay.io%2Fme%2Fx%3A2"},
      {"/v1.41/images/theirs/push?tag=1", "ownership.hidden"},
      {"/v1.41/images/absent/push", "ownership.hidden"},
      {"/v1.41/images/localhost/shared/base/push", "image.shared"},
      {libpod, "image.reference"},
      {"/v1.41/images/mine/push?tag=1&destination=dir%3A%2Ftmp%2Fx", "image.reference"},
      {"/v1.41/images/mine/push?tag=1&destination=docker-archive%3A%2Ftmp%2Fx", "image.reference"},
      {"/v1.41/images/mine/push?tag=1&destination=quay.io/me/x@sha256:" + id('a'), "image.reference"},
      {"/v1.41/images/mine/push?tag=1&destination=localhost:5000/x", "registry.refused"},
      {"/v1.41/images/mine/push?tag=1&destination=127.0.0.1/x", "registry.refused"},
      {"/v1.41/images/mine/push?tag=1&tlsVerify=false", "query.refused"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.target);
    CHECK(target_of(world.decide(Method::Post, row.target)) == row.expected);
  }
  const auto pushed = world.decide(Method::Post, "/v1.41/images/mine/push?tag=1");
  REQUIRE(std::holds_alternative<Forward>(pushed));
  CHECK(before(pushed) == Texts{"renew"});
  REQUIRE(std::get<Forward>(pushed).request.fields.size() == 1);
  CHECK(std::get<Forward>(pushed).request.fields[0].name == "X-Registry-Config");
}

TEST_CASE("images are saved by the project's names for them, and by their ids where it has said none") {
  auto world = one_of_every_kind();
  world.image(id('5'), {"docker.io/library/theirs:2", "docker.io/library/also:1"});
  world.ledger.holds.insert({"p1", id('5')});
  world.ledger.tags.insert({"p1", "docker.io/library/also:1"});
  world.ledger.tags.insert({"p10", "docker.io/library/theirs:2"});
  struct Row {
    std::string target, expected;
  };
  const Row rows[] = {
      {"/v1.41/images/get?names=mine:1&names=" + id('4') + "&names=localhost/shared/base",
       "/v1.41/images/get?names=docker.io%2Flibrary%2Fmine%3A1&names=" + id('4') +
           "&names=localhost%2Fshared%2Fbase%3Alatest"},
      {"/v1.41/images/get?names=" + id('2').substr(0, 12), "/v1.41/images/get?names=" + id('2')},
      {"/v1.41/images/mine:1/get", "/v1.41/images/docker.io%2Flibrary%2Fmine%3A1/get"},
      {"/v4.0.0/libpod/images/" + id('2') + "/get?format=oci-archive",
       "/v4.0.0/libpod/images/" + id('2') + "/get?format=oci-archive"},
      {"/v4.0.0/libpod/images/export?references=mine:2&format=docker-archive",
       "/v4.0.0/libpod/images/export?format=docker-archive&references=docker.io%2Flibrary%2Fmine%3A2"},
      {"/v1.41/images/get?names=theirs:2", "ownership.hidden"},
      {"/v1.41/images/get?names=mine:1&names=theirs:1", "ownership.hidden"},
      {"/v1.41/images/get?names=mine:1&names=absent", "ownership.hidden"},
      {"/v1.41/images/get", "query.value"},
      {"/v4.0.0/libpod/images/export?references=mine:1&format=dir", "query.value"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.target);
    CHECK(target_of(world.decide(Method::Get, row.target)) == row.expected);
  }
  const auto saved = world.decide(Method::Get, "/v1.41/images/get?names=both:1&names=" + id('2'));
  REQUIRE(std::holds_alternative<Forward>(saved));
  CHECK(before(saved) == Texts{"renew"});
  // The name may be pulled anew by the other project while the archive is made.
  REQUIRE(std::get<Forward>(saved).steady.size() == 1);
  CHECK(std::get<Forward>(saved).steady[0].name == "docker.io/library/both:1");
  CHECK(std::get<Forward>(saved).steady[0].id == id('4'));
}

TEST_CASE("images that are named many times are saved as many times, and looked at again once") {
  auto world = one_of_every_kind();
  std::string asked = "/v1.41/images/get?", sent = asked;
  for (int time = 0; time < 200; ++time) {
    asked += (time ? "&names=" : "names=") + std::string("both:1&names=mine:2");
    sent += (time ? "&names=" : "names=") + std::string("docker.io%2Flibrary%2Fboth%3A1") +
            "&names=docker.io%2Flibrary%2Fmine%3A2";
  }
  const auto saved = world.decide(Method::Get, asked);
  CHECK(target_of(saved) == sent);
  REQUIRE(std::holds_alternative<Forward>(saved));
  const auto& steady = std::get<Forward>(saved).steady;
  REQUIRE(steady.size() == 2);
  CHECK(steady[0].name == "docker.io/library/both:1");
  CHECK(steady[1].name == "docker.io/library/mine:2");
}

TEST_CASE("an import takes the content of the request only, and its name with its tag in one") {
  auto world = one_of_every_kind();
  const std::string label = "LABEL%20appx.project%3Dp1";
  CHECK(target_of(
            world.decide(Method::Post, "/v1.41/images/create?fromSrc=-&repo=new&tag=v&message=m&changes=ENV%20a=b")) ==
        "/v1.41/images/create?fromSrc=-&message=m&changes=ENV%20a%3Db&changes=" + label +
            "&repo=docker.io%2Flibrary%2Fnew%3Av");
  CHECK(target_of(world.decide(Method::Post, "/v4.0.0/libpod/images/import?reference=quay.io/me/x&OS=linux&url=")) ==
        "/v4.0.0/libpod/images/import?OS=linux&changes=" + label + "&reference=quay.io%2Fme%2Fx%3Alatest");
  CHECK(target_of(world.decide(Method::Post, "/v4.0.0/libpod/images/import")) ==
        "/v4.0.0/libpod/images/import?changes=" + label);
  CHECK(rule_of(world.decide(Method::Post, "/v1.41/images/create?fromSrc=http%3A%2F%2Fx%2Fy")) == "image.source");
  CHECK(rule_of(world.decide(Method::Post, "/v1.41/images/create?fromSrc=%2Fetc%2Fpasswd")) == "image.source");
  CHECK(rule_of(world.decide(Method::Post, "/v1.41/images/create?fromSrc=-&fromImage=alpine")) == "query.refused");
  CHECK(rule_of(world.decide(Method::Post, "/v4.0.0/libpod/images/import?url=http%3A%2F%2Fx")) == "query.refused");
  CHECK(rule_of(world.decide(Method::Post, "/v4.0.0/libpod/images/import?URL=%2Fetc%2Fpasswd")) == "query.refused");
}

TEST_CASE("a commit names the container by its id, with its own content and the project's label last") {
  auto world = one_of_every_kind();
  const auto made =
      world.decide(Method::Post,
                   "/v1.41/commit?container=web&repo=new&tag=v&author=a&comment=c&pause=0&changes=LABEL%20x=y", "null");
  CHECK(target_of(made) == "/v1.41/commit?author=a&comment=c&pause=false&container=" + id('a') +
                               "&changes=LABEL%20x%3Dy&changes=LABEL%20appx.project%3Dp1"
                               "&repo=docker.io%2Flibrary%2Fnew&tag=v");
  REQUIRE(std::holds_alternative<Forward>(made));
  CHECK(std::get<Forward>(made).request.content == "{}");
  CHECK(before(made) == Texts{"make docker.io/library/new:v"});
  CHECK(target_of(
            world.decide(Method::Post, "/v4.0.0/libpod/commit?container=web&squash=true&format=docker&stream=true")) ==
        "/v4.0.0/libpod/commit?squash=true&format=docker&stream=true&container=" + id('a') +
            "&changes=LABEL%20appx.project%3Dp1");
  for (const auto* container : {"web10", "absent", ""})
    CHECK(rule_of(world.decide(Method::Post, std::string("/v1.41/commit?repo=new&container=") + container)) ==
          "ownership.hidden");
}

TEST_CASE("changes are lines of known instructions, and none of them says whose the image is") {
  auto world = one_of_every_kind();
  const std::pair<const char*, const char*> rows[] = {
      {"RUN id", "image.change"},
      {"HEALTHCHECK NONE", "image.change"},
      {" LABEL a=b", "image.change"},
      {"FROM x", "image.change"},
      {"LABEL appx.project=p1", ""},
      {"CMD [\"a\"]", ""},
      {"onbuild RUN x", ""},
      {"LABEL=a=b", ""},
      {"LABEL appx.project=p10", "ownership.label"},
      {"label \"appx.project\"=p10", "ownership.label"},
      {"LABEL a=b appx.project=p10", "ownership.label"},
      {"LABEL=appx.project=p10", "ownership.label"},
  };
  for (const auto& [change, rule] : rows) {
    CAPTURE(change);
    CHECK(rule_of(world.decide(Method::Post, "/v1.41/commit?container=web&changes=" + encode(change))) == rule);
    CHECK(rule_of(world.decide(Method::Post, "/v4.0.0/libpod/images/import?changes=" + encode(change))) == rule);
  }
  CHECK(rule_of(world.decide(Method::Post, "/v1.41/commit?container=web&changes=ENV%20a%3Db%0ALABEL%20c%3Dd")) ==
        "query.value");
}

TEST_CASE("registries are those that policy names, or those that have a domain name where it names none") {
  auto world = one_of_every_kind();
  const auto pull = [&](const std::string& name) {
    return rule_of(world.decide(Method::Post, "/v1.41/images/create?fromImage=" + encode(name)));
  };
  for (const auto* open : {"alpine", "quay.io/a/b", "registry.example.org:5000/a"}) {
    CAPTURE(open);
    CHECK(pull(open) == "");
  }
  for (const auto* closed : {"127.0.0.1/a", "127.0.0.1:5000/a", "10.0.0.1/a", "localhost:5000/a", "registry:5000/a",
                             "a.localhost/b", "1.1/a", "0x7f.1/a"}) {
    CAPTURE(closed);
    CHECK(pull(closed) == "registry.refused");
  }
  world.project.policy.registries = {"quay.io/team/*", "localhost:*", "*.example.org"};
  for (const auto* open : {"quay.io/team/x", "localhost:5000/a", "a.b.example.org/c"}) CHECK(pull(open) == "");
  for (const auto* closed : {"alpine", "quay.io/other/x", "quay.io/team", "example.org/a", "a.example.org:5000/c"}) {
    CAPTURE(closed);
    CHECK(pull(closed) == "registry.refused");
  }
  world.project.policy.registries = {"*"};
  CHECK(pull("127.0.0.1:5000/a") == "");
  world.project.policy.registries = std::vector<std::string>();
  CHECK(pull("alpine") == "registry.refused");
}

TEST_CASE("a name that another project gave is not pulled over, one that it pulled is") {
  auto world = one_of_every_kind();
  CHECK(rule_of(world.decide(Method::Post, "/v1.41/images/create?fromImage=theirs&tag=1")) == "");
  world.ledger.made_tags.insert({"p10", "docker.io/library/theirs:1"});
  CHECK(rule_of(world.decide(Method::Post, "/v1.41/images/create?fromImage=theirs&tag=1")) == "image.tag-taken");
  CHECK(rule_of(world.decide(Method::Post, "/v4.0.0/libpod/images/pull?reference=docker.io/library/theirs:1")) ==
        "image.tag-taken");
}

TEST_CASE("searching and logging in go to registries that the project may use, and never to the host's own list") {
  auto world = one_of_every_kind();
  CHECK(target_of(world.decide(Method::Get, "/v1.41/images/search?term=alpine&limit=5")) ==
        "/v1.41/images/search?limit=5&term=docker.io%2Falpine");
  CHECK(target_of(world.decide(Method::Get, "/v4.0.0/libpod/images/search?term=quay.io/a/b&listTags=true")) ==
        "/v4.0.0/libpod/images/search?listTags=true&term=quay.io%2Fa%2Fb");
  for (const auto* term : {"127.0.0.1:80/x", "localhost:5000/x", "10.0.0.1/x"})
    CHECK(rule_of(world.decide(Method::Get, "/v1.41/images/search?term=" + encode(term))) == "registry.refused");
  CHECK(rule_of(world.decide(Method::Get, "/v1.41/images/search?term=" + encode("a:b:c/x"))) == "image.reference");
  CHECK(rule_of(world.decide(Method::Get, "/v1.41/images/search?term=x&tlsVerify=false")) == "query.refused");

  const auto login = [&](const std::string& server) {
    const auto decision = world.decide(Method::Post, "/v1.41/auth",
                                       R"({"username":"u","password":"secret","serveraddress":")" + server + "\"}");
    const auto* forward = std::get_if<Forward>(&decision);
    return forward ? forward->request.content.value_or("") : rule_of(decision);
  };
  CHECK(login("quay.io") == R"({"username":"u","password":"secret","serveraddress":"quay.io"})");
  CHECK(login("https://index.docker.io/v1/") == R"({"username":"u","password":"secret","serveraddress":"docker.io"})");
  for (const auto* server : {"localhost:5000", "127.0.0.1", "http://127.0.0.1:80", "169.254.169.254/latest"})
    CHECK((login(server) == "registry.refused" || login(server) == "field.value"));
  world.project.policy.registries = {"quay.io/team/*"};
  CHECK(rule_of(world.decide(Method::Get, "/v1.41/images/search?term=quay.io/a")) == "");
  CHECK(rule_of(world.decide(Method::Get, "/v1.41/images/search?term=alpine")) == "registry.refused");
}
