// The ledger's rows in words, and the words that mean them.
#include "rules/ledger_entry.hpp"

#include <doctest/doctest.h>

#include "tests/rules/world.hpp"

using namespace podfence::tests;
using EntryKind = LedgerEntry::Kind;

namespace {

const LedgerEntries entries{
    {EntryKind::Image, "p1", id('a'), false, "build", "2026-11-30T20:15:00Z", 5},
    {EntryKind::Tag, "p1", "docker.io/library/app:latest", false, "pull"},
    {EntryKind::Tag, "p1", "localhost/app:latest", true, "tag"},
    {EntryKind::Image, "p10", id('a')},
    {EntryKind::Secret, "p10", "5ec12e7000000000000000001"},
};

std::string called(std::string_view word) {
  std::string text;
  for (const auto& entry : entries_called(entries, word))
    text += (text.empty() ? "" : ", ") + entry.project + " " + entry.what.substr(0, 20);
  return text;
}

std::string way(Method method, std::string_view target) {
  World world;
  const auto parsed = std::get<Target>(parse_target(target));
  Request request;
  request.method = method;
  request.target = parsed;
  const auto match = std::get<Match>(route(method, parsed));
  Facts facts(world.project, world.ledger, world.memory, world.usage);
  Exchange exchange{world.project, match, request, facts};
  return std::string(way_of(exchange));
}

}  // namespace

TEST_CASE("of everything that comes into the ledger it says by which way") {
  const auto brings = {Answer::PullLines, Answer::BuildLines, Answer::MadeImage, Answer::MadeSecret,
                       Answer::ManifestLines};
  const Project project{"p1", "appx.project", {}};
  World world;
  for (const auto& endpoint : endpoints()) {
    const bool removes = endpoint.act == Act::ManifestRemove;
    if (endpoint.refusal || removes || std::ranges::find(brings, endpoint.answer) == brings.end()) continue;
    CAPTURE(std::string(endpoint.path));
    const Match match{&endpoint, "x"};
    const Request request{};
    Facts facts(project, world.ledger, world.memory, world.usage);
    const Exchange exchange{project, match, request, facts};
    CHECK_FALSE(way_of(exchange).empty());
  }
}

TEST_CASE("rows are meant by full ids, by twelve digits or more, and by names as clients write them") {
  const std::string both = "p1 " + std::string(20, 'a') + ", p10 " + std::string(20, 'a');
  CHECK(called(id('a')) == both);
  CHECK(called("sha256:" + id('a')) == both);
  CHECK(called(std::string(12, 'a')) == both);
  CHECK(called(std::string(11, 'a')).empty());
  CHECK(called(std::string(12, 'b')).empty());
  CHECK(called("localhost/app") == "p1 localhost/app:latest");
  CHECK(called("docker.io/library/app:latest") == "p1 docker.io/library/ap");
  CHECK(called("app") == "p1 docker.io/library/ap, p1 localhost/app:latest");
  CHECK(called("app:2").empty());
  CHECK(called("5ec12e7000000000000000001") == "p10 5ec12e70000000000000");
  CHECK(called("").empty());
}

TEST_CASE("the table has a column for each property, and says where nothing is known") {
  CHECK(ledger_table({entries[0], entries[1], entries[4]}) ==
        "PROJECT  KIND    WAY    SINCE                 WHAT\n"
        "p1       image   build  2026-11-30T20:15:00Z  " +
            id('a') +
            "\n"
            "p1       tag     pull   -                     docker.io/library/app:latest\n"
            "p10      secret  -      -                     5ec12e7000000000000000001\n");
  CHECK(ledger_table({}) == "PROJECT  KIND  WAY  SINCE  WHAT\n");
}

TEST_CASE("the same as JSON") {
  CHECK(ledger_json({entries[0], entries[2]}) ==
        R"([{"project":"p1","kind":"image","what":")" + id('a') + R"(","way":"build","since":"2026-11-30T20:15:00Z"},
 {"project":"p1","kind":"tag","made":true,"what":"localhost/app:latest","way":"tag","since":null}]
)");
  CHECK(ledger_json({}) == "[]\n");
}

TEST_CASE("the way is what the client asked for") {
  CHECK(way(Method::Post, "/v1.41/images/create?fromImage=alpine") == "pull");
  CHECK(way(Method::Post, "/v1.41/images/create?fromSrc=-&repo=a") == "import");
  CHECK(way(Method::Post, "/v4.0.0/libpod/images/import?reference=a") == "import");
  CHECK(way(Method::Post, "/v4.0.0/libpod/images/pull?reference=a") == "pull");
  CHECK(way(Method::Post, "/v4.0.0/libpod/images/load") == "load");
  CHECK(way(Method::Post, "/v1.41/images/a/tag?repo=b") == "tag");
  CHECK(way(Method::Post, "/v1.41/commit?container=a") == "commit");
  CHECK(way(Method::Post, "/v1.41/build?t=a") == "build");
  CHECK(way(Method::Post, "/v4.0.0/libpod/secrets/create?name=a") == "secret");
  CHECK(way(Method::Get, "/v1.41/images/json").empty());
}

TEST_CASE("a row is dropped by the claim of its kind") {
  CHECK(drop_of(entries[0]).change == Claim::Change::DropImage);
  CHECK(drop_of(entries[1]).change == Claim::Change::DropTag);
  CHECK(drop_of(entries[4]).change == Claim::Change::DropSecret);
  CHECK(drop_of(entries[1]).what == "docker.io/library/app:latest");
}
