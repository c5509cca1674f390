#include "rules/decide.hpp"

#include <doctest/doctest.h>

#include "world.hpp"

using namespace podfence::tests;

namespace {

std::vector<std::string> targets_of(const Decision& decision) {
  std::vector<std::string> targets;
  if (const auto* batch = std::get_if<Batch>(&decision))
    for (const auto& item : batch->items)
      targets.push_back(item.ledger_only ? "ledger " + item.name : item.request.target);
  return targets;
}

using Targets = std::vector<std::string>;

}  // namespace

TEST_CASE("an object in the path is resolved and its full id goes upstream") {
  auto world = one_of_every_kind();
  struct Row {
    Method method;
    std::string target, expected;
  };
  const Row rows[] = {
      {Method::Get, "/v1.41/containers/web/json", "/v1.41/containers/" + id('a') + "/json"},
      {Method::Post, "/containers/web/start", "/containers/" + id('a') + "/start"},
      {Method::Post, "/v4.3.1/libpod/pods/pod/stop", "/v4.3.1/libpod/pods/" + id('c') + "/stop"},
      {Method::Get, "/v1.41/networks/net", "/v1.41/networks/" + id('e')},
      {Method::Get, "/v1.41/volumes/data", "/v1.41/volumes/data"},
      {Method::Get, "/v1.41/networks/bridge", "/v1.41/networks/" + std::string(default_network_id)},
  };
  for (const auto& row : rows) {
    CAPTURE(row.target);
    CHECK(target_of(world.decide(row.method, row.target)) == row.expected);
  }
}

TEST_CASE("what a query says again of the content is judged in the content, and nothing else is new in it") {
  auto world = one_of_every_kind();
  const auto created = world.decide(Method::Post, "/volumes/create?Name=data&Labels=%7B%22a%22%3A%22b%22%7D",
                                    R"({"Name":"data","Labels":{"a":"b"}})");
  CHECK(target_of(created) == "/volumes/create");
  for (const auto* target : {"/volumes/create?Driver=local", "/volumes/create?name=data"}) {
    CAPTURE(target);
    const auto decision = world.decide(Method::Post, target, R"({"Name":"data"})");
    const auto* deny = std::get_if<Deny>(&decision);
    REQUIRE(deny);
    CHECK(deny->rule->id == "query.unknown");
  }
}

TEST_CASE("foreign and absent objects are hidden alike, on every row with an object in its path") {
  auto world = one_of_every_kind();
  world.exec(id('7'), id('b'));
  world.secret("secret10", std::string(25, '5'), "p10");
  const std::map<Kind, std::string> foreign = {
      {Kind::Container, "web10"}, {Kind::Pod, "pod10"},
      {Kind::Network, "net10"},   {Kind::Volume, "data10"},
      {Kind::Exec, id('7')},      {Kind::Image, "docker.io/library/theirs:1"},
      {Kind::Secret, "secret10"}, {Kind::Manifest, "docker.io/library/theirs:1"}};
  std::size_t rows = 0;
  for (const auto& endpoint : endpoints()) {
    if (endpoint.subject == Kind::None || endpoint.act == Act::Refuse) continue;
    if (endpoint.act == Act::ManifestCreate) continue;  // the path names what is to be made
    const std::string path(endpoint.path);
    const auto open = path.find('{'), close = path.find('}');
    // Image names have slashes; where the path has room for one segment only an id can stand.
    const bool id_only =
        endpoint.subject == Kind::Image && path.substr(open, close - open).find(':') == std::string::npos;
    for (const auto& name : {id_only ? id('3') : foreign.at(endpoint.subject), std::string("nothing")}) {
      const auto target = (endpoint.family == Family::Libpod ? "/v4.0.0" : "/v1.41") + path.substr(0, open) + name +
                          path.substr(close + 1);
      CAPTURE(target);
      const bool has_body = endpoint.body != Body::None && endpoint.body != Body::Stream;
      const auto decision = world.decide(endpoint.method, target, has_body ? R"({"x":1})" : "");
      REQUIRE(std::holds_alternative<Deny>(decision));
      CHECK(rule_of(decision) == "ownership.hidden");
      CHECK(std::get<Deny>(decision).subject == name);
      ++rows;
    }
  }
  CHECK(rows > 100);
}

TEST_CASE("removing a container that is not there succeeds where the client says ignore, and a foreign one is none") {
  auto world = one_of_every_kind();
  for (const std::string name : {"absent", "web10"}) {
    CAPTURE(name);
    const auto ignored = world.decide(Method::Delete, "/v5.4.2/libpod/containers/" + name + "?force=true&ignore=true");
    REQUIRE(std::holds_alternative<Reply>(ignored));
    CHECK(std::get<Reply>(ignored).status == 200);
    CHECK(std::get<Reply>(ignored).content == "[]\n");
    const auto target = "/libpod/containers/" + name;
    CHECK(rule_of(world.decide(Method::Delete, "/v5.4.2" + target + "?ignore=false")) == "ownership.hidden");
    CHECK(rule_of(world.decide(Method::Delete, "/v5.4.2" + target + "?ignore=true&x=1")) == "query.unknown");
    CHECK(rule_of(world.decide(Method::Delete, "/v1.41/containers/" + name + "?ignore=true")) == "ownership.hidden");
    CHECK(rule_of(world.decide(Method::Post, "/v5.4.2" + target + "/stop?ignore=true")) == "ownership.hidden");
  }
  CHECK(target_of(world.decide(Method::Delete, "/v5.4.2/libpod/containers/web?ignore=true")) ==
        "/v5.4.2/libpod/containers/" + id('a') + "?ignore=true");
}

TEST_CASE(
    "removing a volume that is not there succeeds where a client of Docker says force, and a foreign one is none") {
  auto world = one_of_every_kind();
  for (const std::string name : {"absent", "data10"}) {
    CAPTURE(name);
    const auto forced = world.decide(Method::Delete, "/v1.41/volumes/" + name + "?force=1");
    REQUIRE(std::holds_alternative<Reply>(forced));
    CHECK(std::get<Reply>(forced).status == 204);
    CHECK(std::get<Reply>(forced).content.empty());
    CHECK(rule_of(world.decide(Method::Delete, "/v1.41/volumes/" + name + "?force=0")) == "ownership.hidden");
    CHECK(rule_of(world.decide(Method::Delete, "/v5.4.2/libpod/volumes/" + name + "?force=true")) ==
          "ownership.hidden");
  }
}

TEST_CASE("what is shared can be read and not changed") {
  auto world = one_of_every_kind();
  CHECK(target_of(world.decide(Method::Get, "/v1.41/images/localhost/shared/base/json")) ==
        "/v1.41/images/" + id('1') + "/json");
  CHECK(rule_of(world.decide(Method::Delete, "/v1.41/images/localhost/shared/base")) == "image.shared");
  CHECK(rule_of(world.decide(Method::Delete, "/v1.41/images/" + id('1'))) == "image.shared");
  CHECK(rule_of(world.decide(Method::Delete, "/v1.41/networks/bridge")) == "network.shared-default");
  CHECK(rule_of(world.decide(Method::Delete, "/v4.0.0/libpod/networks/podman")) == "network.shared-default");
}

TEST_CASE("exists is answered from ownership alone") {
  auto world = one_of_every_kind();
  const auto own = world.decide(Method::Get, "/v4.0.0/libpod/containers/web/exists");
  REQUIRE(std::holds_alternative<Reply>(own));
  CHECK(std::get<Reply>(own).status == 204);
  CHECK(rule_of(world.decide(Method::Get, "/v4.0.0/libpod/containers/web10/exists")) == "ownership.hidden");
}

TEST_CASE("a volume name of another project is taken, one's own is not") {
  auto world = one_of_every_kind();
  CHECK(rule_of(world.decide(Method::Post, "/v1.41/volumes/create", R"({"Name":"data10"})")) == "name.taken");
  CHECK(rule_of(world.decide(Method::Post, "/v1.41/volumes/create", R"({"nAME":"data10"})")) == "name.taken");
  CHECK(target_of(world.decide(Method::Post, "/v1.41/volumes/create", R"({"Name":"data"})")) ==
        "/v1.41/volumes/create");
  CHECK(target_of(world.decide(Method::Post, "/v1.41/volumes/create", R"({"Name":"new"})")) == "/v1.41/volumes/create");
  CHECK(target_of(world.decide(Method::Post, "/v1.41/volumes/create", R"({"Labels":{"a":"b"}})")) ==
        "/v1.41/volumes/create");
}

TEST_CASE("prunes remove the project's own things one by one") {
  auto world = one_of_every_kind();
  CHECK(targets_of(world.decide(Method::Post, "/v1.41/containers/prune")) ==
        Targets{"/v4.0.0/libpod/containers/" + id('a')});
  CHECK(targets_of(world.decide(Method::Post, "/v4.0.0/libpod/pods/prune")) ==
        Targets{"/v4.0.0/libpod/pods/" + id('c')});
  CHECK(targets_of(world.decide(Method::Post, "/v1.41/volumes/prune")) == Targets{"/v4.0.0/libpod/volumes/data"});
  CHECK(targets_of(world.decide(Method::Post, "/v1.41/networks/prune")) == Targets{"/v4.0.0/libpod/networks/net"});
  CHECK(targets_of(world.decide(Method::Post, "/v1.41/images/prune")) == Targets{});
}

TEST_CASE("a prune takes the anonymous volumes that own containers left behind, and nobody else's") {
  auto world = one_of_every_kind();
  world.volume(id('8'), "");
  world.volume(id('9'), "");
  world.memory.remember(Kind::Volume, id('9'), "p1");
  world.memory.remember(Kind::Volume, id('8'), "p10");
  CHECK(targets_of(world.decide(Method::Post, "/v1.41/volumes/prune")) ==
        Targets{"/v4.0.0/libpod/volumes/data", "/v4.0.0/libpod/volumes/" + id('9')});
}

TEST_CASE("a network is removed by its exact name, which is asked about and so locked") {
  auto world = one_of_every_kind();
  for (const auto& word : {std::string("net"), id('e')}) {
    CAPTURE(word);
    CHECK(target_of(world.decide(Method::Delete, "/v1.41/networks/" + word)) == "/v1.41/networks/net");
    CHECK(target_of(world.decide(Method::Delete, "/v4.0.0/libpod/networks/" + word)) == "/v4.0.0/libpod/networks/net");
  }
}

TEST_CASE("removing an image takes this project's names and no more") {
  auto world = one_of_every_kind();
  const auto image = "/v4.0.0/libpod/images/";
  CHECK(targets_of(world.decide(Method::Delete, "/v1.41/images/mine:1")) ==
        Targets{image + std::string("docker.io%2Flibrary%2Fmine%3A1")});
  CHECK(targets_of(world.decide(Method::Delete, "/v1.41/images/" + id('2'))) ==
        Targets{image + std::string("docker.io%2Flibrary%2Fmine%3A1"),
                image + std::string("docker.io%2Flibrary%2Fmine%3A2")});
  CHECK(targets_of(world.decide(Method::Delete, "/v1.41/images/both:1")) == Targets{"ledger docker.io/library/both:1"});
  CHECK(targets_of(world.decide(Method::Delete, "/v4.0.0/libpod/images/remove?images=mine:1&images=both:1")) ==
        Targets{image + std::string("docker.io%2Flibrary%2Fmine%3A1"), "ledger docker.io/library/both:1"});
  CHECK(targets_of(world.decide(Method::Delete, "/v4.0.0/libpod/images/remove?images=mine:1&images=theirs:1")) ==
        Targets{image + std::string("docker.io%2Flibrary%2Fmine%3A1")});
}

TEST_CASE("a pull never hands out what is here by somebody else's doing") {
  auto world = one_of_every_kind();
  const auto pull = [&](const std::string& query) {
    return world.decide(Method::Post, "/v4.0.0/libpod/images/pull?" + query);
  };
  // Visible: the answer is ready. Foreign: fetched anew, as an absent one is.
  CHECK(std::holds_alternative<Reply>(pull("reference=mine:1&policy=missing")));
  CHECK(std::holds_alternative<Reply>(pull("reference=localhost/shared/base&policy=always")));
  const auto foreign = target_of(pull("reference=theirs:1&policy=missing"));
  CHECK(foreign.find("policy=always") != std::string::npos);
  CHECK(foreign.find("reference=docker.io%2Flibrary%2Ftheirs%3A1") != std::string::npos);
  CHECK(rule_of(pull("reference=theirs:1&policy=never")) == "ownership.hidden");
  CHECK(rule_of(pull("reference=absent:1&policy=never")) == "ownership.hidden");
  CHECK(rule_of(pull("reference=localhost/secret:1")) == "ownership.hidden");
  CHECK(rule_of(pull("reference=" + id('3'))) == "image.reference");
  CHECK(rule_of(pull("reference=docker-archive:/etc/passwd")) == "image.reference");
}

TEST_CASE("a volume is imported only where Podman stays within it") {
  for (const auto& [engine, rule] : {std::pair<std::string, std::string>{"4.3.1", ""},
                                     {"5.4.2", ""},
                                     {"5.6.0", "volume.import"},
                                     {"5.8.6", "volume.import"},
                                     {"6.1.1", "volume.import"},
                                     {"6.2.0", ""}}) {
    CAPTURE(engine);
    auto world = one_of_every_kind();
    world.engine = engine;
    CHECK(rule_of(world.decide(Method::Post, "/v5.0.0/libpod/volumes/data/import")) == rule);
    CHECK(rule_of(world.decide(Method::Post, "/v5.0.0/libpod/volumes/data10/import")) == "ownership.hidden");
  }
}

TEST_CASE("a pull claims its name before it begins, and changes no other project's platform") {
  auto world = one_of_every_kind();
  const auto pull = [&](const std::string& query) {
    return world.decide(Method::Post, "/v1.41/images/create?" + query);
  };
  const auto fresh = std::get<Forward>(pull("fromImage=fresh&tag=1"));
  REQUIRE(fresh.before.size() == 1);
  CHECK(fresh.before.front().change == Claim::Change::OwnTag);
  CHECK(fresh.before.front().what == "docker.io/library/fresh:1");
  CHECK(fresh.on_failure.empty());
  // Its own as well: it may drop the name while that is pulled.
  const auto own = std::get<Forward>(pull("fromImage=mine&tag=1"));
  REQUIRE(own.before.size() == 1);
  CHECK(own.before.front().what == "docker.io/library/mine:1");
  CHECK(target_of(pull("fromImage=mine&tag=1&platform=linux/arm64")).find("platform") != std::string::npos);
  CHECK(rule_of(pull("fromImage=theirs&tag=1&platform=linux/arm64")) == "image.tag-taken");
}

TEST_CASE("a name opens only the image that the project got by it") {
  auto world = one_of_every_kind();
  world.image(id('5'), {"docker.io/library/moved:1"});
  world.ledger.tags.insert({"p1", "docker.io/library/moved:1"});  // pulled once, moved by another's pull since
  CHECK(rule_of(world.decide(Method::Get, "/v1.41/images/moved:1/json")) == "ownership.hidden");
  world.ledger.holds.insert({"p1", id('5')});
  CHECK(target_of(world.decide(Method::Get, "/v1.41/images/moved:1/json")) == "/v1.41/images/" + id('5') + "/json");
}

TEST_CASE("a request that names too many objects is refused before anything is asked") {
  auto world = one_of_every_kind();
  std::string binds, from;
  for (int i = 0; i < 65; ++i) binds += (i ? ",\"v" : "\"v") + std::to_string(i) + ":/m" + std::to_string(i) + "\"";
  for (int i = 0; i < 300; ++i) from += (i ? ",\"c" : "\"c") + std::to_string(i) + "\"";
  const auto create = [&](const std::string& host) {
    return world.decide(Method::Post, "/v1.41/containers/create", R"({"Image":"mine:1","HostConfig":{)" + host + "}}");
  };
  CHECK(rule_of(create(R"("Binds":[)" + binds + "]")) == "limit.volumes");
  world.asked.clear();
  CHECK(rule_of(create(R"("VolumesFrom":[)" + from + "]")) == "limit.references");
  CHECK(world.asked.empty());
}

TEST_CASE("a volume without labels is nobody's unless its name is random and an own container mounts it") {
  auto world = one_of_every_kind();
  for (const auto* name : {"proc", "tmpfs", "hostdata"}) {
    CAPTURE(name);
    world.volume(name, "");
    CHECK(rule_of(world.decide(Method::Get, std::string("/v1.41/volumes/") + name)) == "ownership.hidden");
    CHECK(rule_of(world.decide(Method::Delete, std::string("/v1.41/volumes/") + name)) == "ownership.hidden");
    CHECK(rule_of(world.decide(Method::Post, "/v1.41/containers/create",
                               R"({"Image":"mine:1","HostConfig":{"Binds":[")" + std::string(name) + R"(:/h"]}})")) ==
          "name.taken");
  }
}

TEST_CASE("showmounted names own running containers and no path") {
  auto world = one_of_every_kind();
  const auto decision = world.decide(Method::Get, "/v4.0.0/libpod/containers/showmounted");
  REQUIRE(std::holds_alternative<Reply>(decision));
  CHECK(std::get<Reply>(decision).content == "{\"" + id('a') + "\":\"\"}");
}

TEST_CASE("with read access nothing is changed and nothing entered, whatever is named") {
  auto world = one_of_every_kind();
  world.project.policy.read_only = true;
  const auto has_content = [](const Endpoint& endpoint) {
    return endpoint.body != Body::None && endpoint.body != Body::Stream;
  };
  std::size_t read = 0, refused = 0;
  for (const auto& endpoint : endpoints()) {
    if (endpoint.act == Act::Refuse) continue;
    const std::string path(endpoint.path);
    std::string target = endpoint.family == Family::Libpod ? "/v4.0.0" : "/v1.41";
    target += path.substr(0, path.find('{'));
    if (const auto close = path.find('}'); close != std::string::npos) target += "nothing" + path.substr(close + 1);
    CAPTURE(target);
    CAPTURE(text(endpoint.method));
    const bool reads = (endpoint.method == Method::Get && !path.ends_with("/healthcheck")) ||
                       endpoint.method == Method::Head || path.ends_with("/wait");
    const auto rule = rule_of(world.decide(endpoint.method, target, has_content(endpoint) ? R"({"x":1})" : ""));
    CHECK((rule == "access.read") != reads);
    ++(reads ? read : refused);
  }
  CHECK(read > 40);
  CHECK(refused > 60);
}

TEST_CASE("what changes something is never sent twice, whatever its method, and what reads may be") {
  auto world = one_of_every_kind();
  const auto once = [&](Method method, std::string_view target) {
    CAPTURE(std::string(target));
    const auto decision = world.decide(method, std::string(target));
    REQUIRE(std::holds_alternative<Forward>(decision));
    return std::get<Forward>(decision).request.once;
  };
  CHECK(once(Method::Get, "/v4.0.0/libpod/containers/web/healthcheck"));
  CHECK(once(Method::Post, "/v1.41/containers/web/start"));
  CHECK_FALSE(once(Method::Get, "/v1.41/containers/web/json"));
  CHECK_FALSE(once(Method::Get, "/v1.41/containers/json"));
  CHECK_FALSE(once(Method::Get, "/v1.41/volumes/data"));
}

TEST_CASE("with read access clients still see their things, wait for them and read their streams") {
  auto world = one_of_every_kind();
  world.project.policy.read_only = true;
  for (const auto* target : {"/v1.41/containers/web/json", "/v1.41/containers/web/logs?stdout=1",
                             "/v1.41/containers/web/stats", "/v1.41/containers/web/archive?path=/etc",
                             "/v1.41/containers/json", "/v1.41/events", "/v1.41/info", "/v1.41/volumes/data"}) {
    CAPTURE(std::string(target));
    CHECK(std::holds_alternative<Forward>(world.decide(Method::Get, target)));
  }
  CHECK(target_of(world.decide(Method::Post, "/v1.41/containers/web/wait")) ==
        "/v1.41/containers/" + id('a') + "/wait");
  CHECK(rule_of(world.decide(Method::Post, "/v1.41/containers/web/attach")) == "access.read");
  CHECK(rule_of(world.decide(Method::Get, "/v4.0.0/libpod/containers/web/healthcheck")) == "access.read");
  CHECK(std::get<Deny>(world.decide(Method::Post, "/v1.41/containers/web/attach")).subject == "/containers/web/attach");
  CHECK(rule_of(world.decide(Method::Post, "/session")) == "endpoint.buildkit");  // refused to everybody
}

TEST_CASE("an endpoint that is refused is told by the client's own path") {
  auto world = one_of_every_kind();
  const struct {
    Method method;
    const char *target, *subject;
  } rows[] = {
      {Method::Post, "/v1.41/swarm/init", "/swarm/init"},
      {Method::Post, "/v1.41/swarm/leave?force=1", "/swarm/leave"},
      {Method::Post, "/v4.0.0/libpod/images/scp/quay.io%2Fa%2Fb", "/libpod/images/scp/quay.io/a/b"},
  };
  for (const auto& row : rows) CHECK(std::get<Deny>(world.decide(row.method, row.target)).subject == row.subject);
}
