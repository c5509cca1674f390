// Verdicts as lines: every byte of a client is harmless there, and no difference is overlooked.
#include "rules/verdict.hpp"

#include <doctest/doctest.h>

#include <set>

#include "rules/json.hpp"
#include "rules/refusal.hpp"
#include "tests/rules/world.hpp"

using namespace podfence::tests;

namespace {

Verdict verdict() {
  Verdict result;
  result.method = "GET";
  result.target = "/a\tb\n\\\xff";
  result.endpoint = &endpoints().front();
  result.decision = "refuse";
  result.status = 400;
  result.rule = "target.encoding";
  result.subject = "byte 0x09 at 2";
  result.answer = "{}\n";
  return result;
}

}  // namespace

TEST_CASE("a line of columns has eight of them, whatever the client sent") {
  CHECK(verdict_tsv({"some\tfile", 2}, verdict()) ==
        "some\\x09file\t2\tGET\t/a\\x09b\\x0a\\x5c\\xff\trefuse\t400\ttarget.encoding\tbyte 0x09 at 2");
  Verdict passed;
  passed.decision = "allow";
  CHECK(verdict_tsv({"f", 1}, passed) == "f\t1\t-\t-\tallow\t-\t-\t-");
}

TEST_CASE("a line of JSON is one object, and leaves out what there is nothing of") {
  auto full = verdict();
  full.sent = {"GET /x HTTP/1.1\r\nHost: d\r\n\r\n"};
  full.ledger = {"own tag a"};
  const auto line = verdict_json({"f", 3}, full);
  CHECK(line.find('\n') == std::string::npos);
  const auto parsed = json::parse(line);
  const auto& object = std::get<json::Value>(parsed);
  CHECK(object.text("input") == "f");
  CHECK(object.find("request")->int64() == 3);
  CHECK(object.text("endpoint") == endpoints().front().path);
  CHECK(object.text("target") == "/a\\x09b\\x0a\\x5c\\xff");
  CHECK(object.text("answer") == "{}\n");
  CHECK(*object.find("sent")->items()->front().string() == full.sent.front());
  Verdict passed;
  passed.decision = "allow";
  CHECK(verdict_json({"f", 1}, passed) == R"({"input":"f","request":1,"method":"","target":"","decision":"allow"})");
}

TEST_CASE("each part of a verdict that differs is told, the decision before all") {
  const auto changed = [](auto change) {
    auto other = verdict();
    change(other);
    return std::string(difference_between(verdict(), other));
  };
  CHECK(difference_between(verdict(), verdict()) == "");
  CHECK(changed([](Verdict& it) { it.decision = "hide"; }) == "decision");
  CHECK(changed([](Verdict& it) { it.status = 403; }) == "decision");
  CHECK(changed([](Verdict& it) { it.rule = "target.path"; }) == "decision");
  CHECK(changed([](Verdict& it) { it.subject = "x"; }) == "decision");
  CHECK(changed([](Verdict& it) { it.endpoint = nullptr; }) == "decision");
  CHECK(changed([](Verdict& it) { it.answer = "x"; }) == "answer");
  CHECK(changed([](Verdict& it) { it.ledger = {"x"}; }) == "ledger");
  CHECK(changed([](Verdict& it) { it.sent = {"x"}; }) == "request");
}

TEST_CASE("two verdicts are one line; a request that was not read on one side is told so") {
  auto other = verdict();
  other.decision = "rewrite", other.status = 0, other.rule = "", other.subject = "";
  const auto one = verdict();
  CHECK(difference_tsv({"f", 1}, &one, &other) ==
        "f\t1\tGET\t/a\\x09b\\x0a\\x5c\\xff\tdecision\trefuse\t400\ttarget.encoding\trewrite\t-\t-");
  CHECK(difference_tsv({"f", 1}, nullptr, &one).ends_with("\tdecision\tnot read\t-\t-\trefuse\t400\ttarget.encoding"));
  const auto parsed = json::parse(difference_json({"f", 1}, &one, nullptr));
  const auto& object = std::get<json::Value>(parsed);
  CHECK(object.text("differs") == "decision");
  CHECK(object.find("policy")->text("rule") == "target.encoding");
  CHECK(object.find("against")->text("decision") == "not read");
}

TEST_CASE("what the ledger would record is in a verdict") {
  World world = one_of_every_kind();
  const auto decision = world.decide(Method::Post, "/v1.41/images/create?fromImage=docker.io/library/new&tag=1");
  REQUIRE(std::holds_alternative<Forward>(decision));
  Match match;
  match.endpoint = &endpoints().front();
  Judged judged{world.project, "POST", "/x", &match};
  const auto ledger = verdict_of(judged, decision).ledger;
  REQUIRE_FALSE(ledger.empty());
  CHECK(ledger.front() == "own tag docker.io/library/new:1");
}
