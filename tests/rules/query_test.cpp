// Which query parameters cross, and in which form.
#include "rules/query.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>

#include "rules/query_table.hpp"
#include "tests/rules/world.hpp"

using namespace podfence::rules;
using podfence::tests::id;
using podfence::tests::World;

namespace {

/// What an exchange of that row and query is judged to, with every question answered from the world.
std::variant<JudgedQuery, Deny> judge(World& world, Method method, std::string_view text) {
  Request request;
  request.method = method;
  request.target = std::get<Target>(parse_target(text));
  const auto routed = route(method, request.target);
  REQUIRE(std::holds_alternative<Match>(routed));
  const Match match = std::get<Match>(routed);
  Facts facts(world.project, world.ledger, world.memory, world.usage);
  Exchange exchange{world.project, match, request, facts};
  for (int round = 0; round < 4; ++round) {
    auto judged = judge_query(match.endpoint->query, exchange);
    if (facts.complete() || std::holds_alternative<Deny>(judged)) return judged;
    for (const Question& question : facts.take_open()) world.answer(facts, question);
  }
  FAIL("the facts are never complete");
  return Deny{};
}

/// "a=b&c=d" decoded, "nothing", or the refusal's id and subject.
std::string judged(World& world, Method method, std::string_view text) {
  const auto result = judge(world, method, text);
  if (const Deny* denied = std::get_if<Deny>(&result)) return std::string(denied->rule->id) + " " + denied->subject;
  const auto& query = std::get<JudgedQuery>(result);
  if (query.nothing) return "nothing";
  std::string pairs;
  for (const QueryPair& pair : query.pairs) pairs += (pairs.empty() ? "" : "&") + pair.name + "=" + pair.value;
  return pairs;
}

struct Row {
  Method method;
  std::string text, judged;
};

void check(World& world, std::span<const Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(judged(world, row.method, row.text) == row.judged);
  }
}

World two_projects() {
  World world;
  world.add(Kind::Container, "mine", id('a'), "p1");
  world.add(Kind::Container, "theirs", id('b'), "p10");
  world.add(Kind::Pod, "pod", id('c'), "p1");
  world.add(Kind::Pod, "foreign", id('d'), "p10");
  return world;
}

using enum Method;

}  // namespace

TEST_CASE("parameters cross in Podman's spelling and in the order of the table") {
  World world;
  const Row rows[] = {
      {Get, "/containers/x/logs?TAIL=5&stdout=1&Follow=0", "follow=false&stdout=true&tail=5"},
      {Get, "/v4.0.0/libpod/containers/x/logs?stderr=true&since=2026-01-01T00%3A00%3A00Z",
       "stderr=true&since=2026-01-01T00:00:00Z"},
      {Put, "/containers/x/archive?path=%2Ftmp%2Fa%20b&nooverwritedirnondir=true",
       "path=/tmp/a b&noOverwriteDirNonDir=true"},
      {Post, "/containers/x/stop?t=5", "t=5"},
      {Post, "/containers/x/kill?signal=SIGRTMIN%2B3", "signal=SIGRTMIN+3"},
      {Post, "/containers/x/kill?signal=", ""},
      {Post, "/containers/create?name=web&platform=linux%2Famd64", "name=web&platform=linux/amd64"},
      {Post, "/containers/create?name=", ""},
      {Get, "/containers/json?limit=-1&all=0&size=0&trunc_cmd=0",
       R"(all=false&limit=-1&size=false&filters={"label":["appx.project=p1"]})"},
      {Get, "/v4.0.0/libpod/containers/json?all=true&external=true&sync=true&last=2&namespace=false",
       R"(all=true&last=2&namespace=false&sync=true&filters={"label":["appx.project=p1"]})"},
      {Post, "/v4.0.0/libpod/containers/x/wait?condition=running&condition=exited&interval=250ms",
       "condition=running&condition=exited&interval=250ms"},
      {Get, "/networks/x?verbose=true&scope=local", "scope=local&verbose=true"},
      {Get, "/system/df?type=image&type=volume", "type=image&type=volume"},
      {Get, "/system/df?type=&type=image&type", "type=image"},
      {Get, "/system/df?type=", ""},
      {Get, "/_ping", ""},
  };
  check(world, rows);
}

TEST_CASE("an unknown parameter, or one given twice, is refused") {
  World world;
  const Row rows[] = {
      {Get, "/_ping?x=1", "query.unknown x"},
      {Get, "/containers/x/json?size=1&zz=%2Flibpod%2F", "query.unknown zz"},
      {Get, "/containers/x/json?size", "size=false"},
      {Get, "/containers/x/json?size=1&size=1", "query.repeated size"},
      {Get, "/containers/x/json?size=1&size=0", "query.repeated size"},
      {Post, "/containers/create?name=a&NAME=b", "query.repeated name"},
      {Get, "/containers/json?filters=%7B%7D&Filters=%7B%22label%22%3A%5B%22x%22%5D%7D", "query.repeated filters"},
      {Post, "/v4.0.0/libpod/containers/x/attach?detachKeys=ctrl-p&detachkeys=ctrl-p&stream=true",
       "detachKeys=ctrl-p&stream=true"},
      {Post, "/v4.0.0/libpod/containers/x/attach?detachKeys=ctrl-p&detachkeys=ctrl-q", "query.repeated detachKeys"},
      {Get, "/v4.0.0/libpod/images/json?labels=x", "query.unknown labels"},
      {Post, "/v6.0.0/libpod/volumes/prune?dryRun=true", "query.unknown dryRun"},
  };
  check(world, rows);
}

TEST_CASE("a boolean means what Podman takes it for in that family, and nothing else is one") {
  World world;
  struct Truth {
    std::string_view value, docker, libpod;
  };
  const Truth truths[] = {
      {"1", "true", "true"},       {"t", "true", "true"},     {"true", "true", "true"}, {"True", "true", "true"},
      {"TRUE", "true", "true"},    {"on", "true", "true"},    {"yes", "true", "bad"},   {"tRue", "true", "bad"},
      {"", "false", "false"},      {"0", "false", "false"},   {"no", "false", "bad"},   {"none", "false", "bad"},
      {"False", "false", "false"}, {"f", "bad", "false"},     {"off", "bad", "false"},  {"2", "bad", "bad"},
      {"x", "bad", "bad"},         {"true%20", "bad", "bad"},
  };
  for (const Truth& truth : truths) {
    CAPTURE(truth.value);
    const auto expected = [](std::string_view read) {
      return read == "bad" ? std::string("query.value size") : "size=" + std::string(read);
    };
    const std::string query = "?size=" + std::string(truth.value);
    CHECK(judged(world, Get, "/containers/x/json" + query) == expected(truth.docker));
    CHECK(judged(world, Get, "/v4.0.0/libpod/containers/x/json" + query) == expected(truth.libpod));
  }
}

TEST_CASE("a value that is not of its parameter's type is refused") {
  const std::string no_columns = ", columns of ps: -ef, aux, or some as in -o pid,user,args";
  const std::string no_interval = ", a number and its unit such as 250ms";
  World world;
  const Row rows[] = {
      {Post, "/containers/x/stop?t=ten", "query.value t"},
      {Post, "/containers/x/stop?t=--1", "query.value t"},
      {Post, "/containers/x/stop?t=1e3", "query.value t"},
      {Post, "/containers/x/resize?h=-1&w=1", "query.value h"},
      {Post, "/containers/x/resize?h=9999999999999999999&w=1", "query.value h"},
      {Post, "/containers/x/kill?signal=..%2Fx", "query.value signal"},
      {Get, "/containers/x/logs?tail=5%0A6", "query.value tail"},
      {Put, "/containers/x/archive?path=a&rename=%7B%22a%22%3A1%7D", "query.value rename"},
      {Put, "/containers/x/archive?path=a&rename=%7B%22a%22%3A%22b%22%7D%20x", "query.value rename"},
      {Put, "/containers/x/archive?path=a&rename=%7B%22a%22%3A%22b%22%2C%22a%22%3A%22c%22%7D", "query.value rename"},
      {Put, "/containers/x/archive?path=a&rename=%7B%20%22a%22%3A%22b%22%7D", R"(path=a&rename={"a":"b"})"},
      {Get, "/containers/x/top?ps_args=-eo%20pid%2Cuser%3DWHO%2C%25cpu", "ps_args=pid,user,pcpu"},
      {Get, "/containers/x/top?ps_args=-n%20%2Fetc%2Fshadow", "query.value ps_args" + no_columns},
      {Get, "/v5.0.0/libpod/containers/x/top?ps_args=pid&ps_args=comm", "ps_args=pid,comm"},
      {Get, "/v5.0.0/libpod/containers/x/top?ps_args=&ps_args=pid", "ps_args=pid"},
      {Get, "/containers/x/top?ps_args=&ps_args", "ps_args=user,pid,ppid,pcpu,etime,tty,time,args"},
      {Get, "/containers/x/top", "ps_args=user,pid,ppid,pcpu,etime,tty,time,args"},
      {Get, "/v4.0.0/libpod/pods/x/top?ps_args=hpid", "query.value ps_args" + no_columns},
      {Post, "/v4.0.0/libpod/containers/x/wait?interval=100ms", "interval=100ms"},
      {Post, "/v4.0.0/libpod/containers/x/wait?interval=1h", "interval=1h"},
      {Post, "/v4.0.0/libpod/containers/x/wait?interval=99ms", "interval=100ms"},
      {Post, "/v4.0.0/libpod/containers/x/wait?interval=1ns", "interval=100ms"},
      {Post, "/v4.0.0/libpod/containers/x/wait?interval=0s", "interval=100ms"},
      {Post, "/containers/x/wait?interval=99999us", "interval=100ms"},
      {Post, "/containers/x/wait?interval=", ""},
      {Post, "/containers/x/wait?interval=-1s", "query.value interval" + no_interval},
      {Post, "/containers/x/wait?interval=250", "query.value interval" + no_interval},
      {Post, "/containers/x/wait?interval=1s1ns", "query.value interval" + no_interval},
      {Post, "/containers/x/wait?interval=9999999999999999999h", "query.value interval" + no_interval},
  };
  check(world, rows);
}

TEST_CASE("a container has as long to stop as it could have from its create, whatever request says so") {
  World world = two_projects();
  const std::string libpod = "/v5.4.2/libpod/", volume = libpod + "volumes/vol?force=true&timeout=";
  const std::string long_ago = "99999999999999999";
  const Row bounded[] = {
      {Post, "/containers/mine/stop?t=3600", "t=3600"},
      {Post, "/containers/mine/stop?t=3601", "limit.bound t is 3601, at most 3600"},
      {Post, "/containers/mine/stop?t=0", "t=0"},
      {Post, "/containers/mine/stop?t=007", "t=7"},
      {Post, "/containers/mine/stop?t=", ""},
      {Post, "/containers/mine/restart?t=" + long_ago, "limit.bound t is " + long_ago + ", at most 3600"},
      {Post, libpod + "containers/mine/restart?timeout=3601", "limit.bound timeout is 3601, at most 3600"},
      {Delete, libpod + "containers/mine?timeout=3601", "limit.bound timeout is 3601, at most 3600"},
      {Post, libpod + "pods/pod/stop?t=3601", "limit.bound t is 3601, at most 3600"},
      {Delete, libpod + "pods/pod?timeout=3601", "limit.bound timeout is 3601, at most 3600"},
      {Delete, volume + long_ago, "limit.bound timeout is " + long_ago + ", at most 3600"},
      {Delete, "/volumes/vol?timeout=3601", "limit.bound timeout is 3601, at most 3600"},
      {Delete, volume + "9999999999999999999", "query.value timeout"},
      {Delete, volume + "1.5", "query.value timeout"},
      // For ever, in the words of Docker and of two podmans: as long as may be. To a pod it is what its containers
      // have.
      {Post, "/containers/mine/stop?t=-1", "t=3600"},
      {Post, "/containers/mine/restart?t=-1", "t=3600"},
      {Post, libpod + "containers/mine/stop?timeout=18446744073709551615", "timeout=3600"},
      {Post, libpod + "containers/mine/restart?timeout=4294967295", "timeout=3600"},
      {Delete, volume + "18446744073709551615", "force=true&timeout=3600"},
      {Post, libpod + "pods/pod/stop?timeout=-1", ""},
      {Post, libpod + "pods/pod/stop?t=-1", ""},
  };
  check(world, bounded);
  world.project.policy.limit(Amount::StopTimeout).least = 2;
  world.project.policy.limit(Amount::StopTimeout).most = 30;
  const Row clamped[] = {
      {Post, "/containers/mine/stop?t=0", "t=2"},
      {Post, "/containers/mine/stop?t=30", "t=30"},
      {Post, "/containers/mine/stop?t=999", "t=30"},
      {Post, "/containers/mine/stop?t=-1", "t=30"},
      {Post, "/containers/mine/stop?t=3601", "limit.bound t is 3601, at most 3600"},
      {Post, libpod + "containers/mine/restart?timeout=31", "timeout=30"},
      {Delete, libpod + "containers/mine?force=true&timeout=31", "force=true&timeout=30"},
      {Post, libpod + "pods/pod/stop?t=31", "t=30"},
      {Delete, libpod + "pods/pod?timeout=31", "timeout=30"},
      {Delete, volume + "31", "force=true&timeout=30"},
  };
  check(world, clamped);
}

TEST_CASE("no request says how long to wait for a container without a bound") {
  std::size_t count = 0;
  for (const Endpoint& endpoint : endpoints())
    for (const Parameter& parameter : parameters_of(endpoint.query)) {
      if (parameter.rule != ParameterRule::Pass || (parameter.name != "t" && parameter.name != "timeout")) continue;
      CAPTURE(endpoint.path);
      CHECK(parameter.type == ParameterType::StopSeconds);
      ++count;
    }
  CHECK(count > 10);
}

TEST_CASE("what reaches beyond the project is refused where it says something and never sent") {
  World world;
  const Row rows[] = {
      {Delete, "/v4.0.0/libpod/containers/x?depend=false&force=true&ignore=false&volumes=true",
       "force=true&volumes=true&ignore=false"},
      {Delete, "/v4.0.0/libpod/containers/x?depend=true", ""},
      {Delete, "/containers/x?link=True&v=True", "query.refused link"},
      {Delete, "/containers/x?link=False&v=True", "v=true"},
      {Delete, "/v4.0.0/libpod/networks/x?force=true&timeout=1", "query.refused force"},
      {Delete, "/v4.0.0/libpod/networks/x?force=false", ""},
      {Post, "/v5.0.0/libpod/networks/create?ignoreIfExists=false", ""},
      {Post, "/v5.0.0/libpod/networks/create?ignoreIfExists=true", "query.refused ignoreIfExists"},
      {Delete, "/v4.0.0/libpod/images/remove?images=a&images=b&all=false&force=true&lookupmanifest=false",
       "images=a&images=b"},
      {Delete, "/v4.0.0/libpod/images/remove?all=true", "query.refused all"},
      {Delete, "/images/x?force=1&noprune=1", ""},
      {Post, "/v4.0.0/libpod/images/prune?all=true&external=true", "query.refused external"},
      {Post, "/v4.0.0/libpod/images/prune?all=true&external=false&buildcache=false", "all=true"},
      {Get, "/containers/x/changes", "diffType=container"},
      {Get, "/v4.0.0/libpod/containers/x/changes?difftype=all", "diffType=container"},
      {Get, "/containers/x/changes?parent=secret", "query.refused parent"},
      {Get, "/v4.0.0/libpod/containers/x/exists?external=true", ""},
      {Post, "/containers/x/kill?all=true", "query.refused all"},
  };
  check(world, rows);
}

TEST_CASE("a pull says which image, and nothing about the registry's certificate or other tags") {
  World world;
  const std::string libpod = "/v4.3.1/libpod/images/pull?reference=r.io%2Fa%3A1";
  const Row rows[] = {
      {Post, libpod + "&alltags=false&arch=&authfile=&os=&password=x&policy=always&quiet=true&username=u&variant=",
       "reference=r.io/a:1&policy=always&Arch=&OS=&Variant=&quiet=true"},
      {Post, libpod + "&tlsVerify=false", "query.refused tlsVerify"},
      {Post, libpod + "&TLSVERIFY=0", "query.refused tlsVerify"},
      {Post, libpod + "&tlsVerify=", "query.refused tlsVerify"},
      {Post, libpod + "&tlsVerify=true", "reference=r.io/a:1"},
      {Post, libpod + "&allTags=true", "query.refused allTags"},
      {Post, libpod + "&compatMode=true", "reference=r.io/a:1"},
      {Post, "/images/create?fromImage=a&tag=latest&platform=linux%2Famd64",
       "fromImage=a&tag=latest&platform=linux/amd64"},
      {Post, "/images/create?fromSrc=-&repo=x", "query.refused fromSrc"},
      {Post, "/images/create?fromImage=a&FROMSRC=%2Fetc%2Fpasswd", "query.refused fromSrc"},
      {Post, "/images/create?fromImage=a&repo=victim", "query.refused repo"},
  };
  check(world, rows);
}

TEST_CASE("a content repeats the query when each member says what one parameter says") {
  struct Repeated {
    std::string_view query, content;
    bool repeats;
  };
  const Repeated rows[] = {
      {"?t=0", R"({"t":0})", true},
      {"?stream=true&stdout=true&x=1", R"({"stream":true,"stdout":true})", true},
      {"?signal=SIGINT", R"({"signal":"SIGINT"})", true},
      {"?a=%7B%22b%22%3A1%7D", R"({"a":{"b":1}})", true},
      {"?t=0", R"({"t":5})", false},
      {"?t=0&t=0", R"({"t":0})", false},
      {"", R"({"t":0})", false},
      {"?t=0", R"([{"t":0}])", false},
      {"?t=0", R"("t")", false},
  };
  for (const Repeated& row : rows) {
    CAPTURE(row.query);
    CAPTURE(row.content);
    const auto target = std::get<Target>(parse_target("/containers/x/stop" + std::string(row.query)));
    CHECK(repeats_query(std::get<json::Value>(json::parse(row.content)), target) == row.repeats);
  }
}

TEST_CASE("a new name that could be taken for an id is refused") {
  World world;
  CHECK(judged(world, Post, "/containers/create?name=" + std::string(12, 'a')).starts_with("name.id-like"));
  CHECK(judged(world, Post, "/containers/x/rename?name=" + id('b')).starts_with("name.id-like"));
  CHECK(judged(world, Post, "/containers/create?name=a%2Fb").starts_with("name.syntax"));
  CHECK(judged(world, Post, "/containers/x/rename?name=web-2") == "name=web-2");
}

TEST_CASE("statistics are asked for own containers and pods only, by their full ids") {
  World world = two_projects();
  const Row rows[] = {
      {Get, "/v4.0.0/libpod/containers/stats?containers=mine&stream=false", "containers=" + id('a') + "&stream=false"},
      {Get, "/v4.0.0/libpod/containers/stats?containers=theirs", "ownership.hidden theirs"},
      {Get, "/v4.0.0/libpod/containers/stats?containers=mine&containers=nothing", "ownership.hidden nothing"},
      {Get, "/v4.0.0/libpod/containers/stats?stream=false&interval=5&all=true",
       "containers=" + id('a') + "&stream=false&interval=5"},
      {Get, "/v4.0.0/libpod/pods/stats?namesOrIDs=pod&all=false", "namesOrIDs=" + id('c')},
      {Get, "/v4.0.0/libpod/pods/stats?namesorids=foreign", "ownership.hidden foreign"},
  };
  check(world, rows);
  World empty;
  const auto decision = empty.decide(Get, "/v4.0.0/libpod/containers/stats?stream=false");
  REQUIRE(std::holds_alternative<Reply>(decision));
  CHECK(std::get<Reply>(decision).content == "{\"Error\":null,\"Stats\":[]}\n");
  CHECK(judged(empty, Get, "/v4.0.0/libpod/containers/stats?stream=false") == "nothing");
  CHECK(judged(empty, Get, "/v4.0.0/libpod/pods/stats?all=true") == "nothing");
}

TEST_CASE("everything that docker, docker-compose and podman --remote send is known") {
  World world = two_projects();
  struct Sent {
    Method method;
    std::string_view text;
  };
  const Sent requests[] = {
      // docker 28
      {Head, "/_ping"},
      {Get, "/v1.41/containers/json?limit=2"},
      {Get,
       "/v1.41/containers/json?filters=%7B%22label%22%3A%7B%22a%3Db%22%3Atrue%7D%2C%22status%22%3A%7B%22running%22%"
       "3Atrue%7D%7D"},
      {Get, "/v1.41/containers/x/logs?since=1795988711&stderr=1&stdout=1&tail=5&timestamps=1"},
      {Get, "/v1.41/containers/x/stats?stream=0"},
      {Get, "/v1.41/containers/x/top?ps_args=-o+pid%2Ccomm"},
      {Post, "/v1.41/containers/x/attach?stderr=1&stdin=1&stdout=1&stream=1"},
      {Post, "/v1.41/containers/x/wait?condition=next-exit"},
      {Delete, "/v1.41/containers/x?force=1&v=1"},
      {Delete, "/v1.41/volumes/x?force=1"},
      {Put, "/v1.41/containers/x/archive?copyUIDGID=true&noOverwriteDirNonDir=true&path=%2Ftmp"},
      {Get, "/v1.41/events?filters=%7B%22type%22%3A%7B%22container%22%3Atrue%7D%7D&since=1795992268"},
      {Post, "/v1.41/images/prune?filters=%7B%22dangling%22%3A%7B%22true%22%3Atrue%7D%7D"},
      // docker-compose 1.29
      {Get,
       "/v1.41/containers/json?limit=-1&all=1&size=0&trunc_cmd=0&filters=%7B%22label%22%3A+%5B%22com.docker.compose"
       ".project%3Dx%22%2C+%22com.docker.compose.oneoff%3DFalse%22%5D%7D"},
      {Delete, "/v1.41/containers/x?v=True&link=False&force=False"},
      {Get, "/v1.41/containers/x/logs?stderr=1&stdout=1&timestamps=0&follow=1&tail=all"},
      {Get, "/v1.41/images/json?only_ids=0&all=0"},
      {Get, "/v1.41/events?filters=%7B%22label%22%3A+%5B%22a%3Db%22%5D%7D"},
      // podman --remote 4.3.1
      {Get,
       "/v4.3.1/libpod/containers/json?all=false&external=false&filters=%7B%7D&last=-1&namespace=false&size=false&"
       "sync=false"},
      {Delete, "/v4.3.1/libpod/containers/x?depend=false&force=true&ignore=true&timeout=0&volumes=false"},
      {Get, "/v4.3.1/libpod/containers/x/changes?difftype=all"},
      {Get,
       "/v4.3.1/libpod/containers/x/logs?follow=false&since=2026-11-29T21%3A45%3A55Z&stderr=true&stdout=true&tail=5&"
       "timestamps=true&until=0001-01-01T00%3A00%3A00Z"},
      {Get, "/v4.3.1/libpod/containers/x/top?ps_args="},
      {Get, "/v4.3.1/libpod/events?filters=%7B%7D&since=1m&stream=false&until="},
      {Get, "/v4.3.1/libpod/pods/stats?all=false&namesOrIDs=pod"},
      {Post, "/v4.3.1/libpod/pods/x/stop?timeout=-1"},
      {Post, "/v4.3.1/libpod/containers/x/resize?h=0&running=true&w=0"},
      {Post, "/v4.3.1/libpod/containers/x/start?recursive=true"},
      {Post, "/v4.3.1/libpod/containers/x/stop?ignore=true&timeout=1"},
      {Put, "/v4.3.1/libpod/containers/x/archive?copyUIDGID=true&nooverwritedirnondir=true&path=%2Ftmp"},
      {Post,
       "/v4.3.1/libpod/containers/prune?filters=%7B%22label%22%3A%5B%22x%22%5D%2C%22until%22%3A%5B%221s%22%5D%7D"},
  };
  for (const Sent& sent : requests) {
    CAPTURE(sent.text);
    CHECK(std::holds_alternative<JudgedQuery>(judge(world, sent.method, sent.text)));
  }
}

TEST_CASE("no parameter stands twice in a table, and only what is forced has a value") {
  for (const Endpoint& endpoint : endpoints()) {
    std::vector<std::string> names;
    for (const Parameter& parameter : parameters_of(endpoint.query)) {
      CAPTURE(parameter.name);
      std::string name(parameter.name);
      std::ranges::transform(name, name.begin(),
                             [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
      CHECK(std::ranges::find(names, name) == names.end());
      names.push_back(name);
      CHECK((parameter.rule == ParameterRule::Force) != parameter.forced.empty());
      CHECK((parameter.type != ParameterType::Filters || !filters_of(endpoint.query).keys.empty()));
    }
  }
}

TEST_CASE("a query may say again what the content says, however much that is") {
  World world;
  Request request;
  request.method = Post;
  request.target = std::get<Target>(parse_target("/containers/create?name=web"));
  const auto routed = route(Post, request.target);
  REQUIRE(std::holds_alternative<Match>(routed));
  const Match match = std::get<Match>(routed);
  json::Value content = json::Value::object();
  Target repeated;
  for (int i = 0; i < 200'000; ++i) {
    content.members()->push_back({"A" + std::to_string(i), "x"});
    repeated.query.push_back({"A" + std::to_string(i), "x"});
  }
  request.content = content;
  request.target.query.insert(request.target.query.end(), repeated.query.begin(), repeated.query.end());
  Facts facts(world.project, world.ledger, world.memory, world.usage);
  Exchange exchange{world.project, match, request, facts};
  // Quadratic work would take minutes here.
  auto result = judge_query(match.endpoint->query, exchange);
  REQUIRE(std::holds_alternative<JudgedQuery>(result));
  CHECK(std::get<JudgedQuery>(result).pairs.size() == 1);
  CHECK(repeats_query(content, repeated));

  request.target.query.push_back({"a0", "x"});
  result = judge_query(match.endpoint->query, exchange);
  REQUIRE(std::holds_alternative<Deny>(result));
  CHECK(std::get<Deny>(result).subject == "a0");
  CHECK_FALSE(repeats_query(content, request.target));
}
