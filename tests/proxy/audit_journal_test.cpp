// Audit lines that go to the journal, which a datagram socket stands in for.

#include <doctest/doctest.h>

#include <filesystem>
#include <set>

#include "proxy/audit_sink.hpp"
#include "tests/support/fake_podman.hpp"
#include "tests/support/journal.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace podfence::testing;
using podfence::proxy::open_journal;
using podfence::rules::AuditRecord;
using podfence::rules::Kind;

namespace {

AuditRecord record() {
  AuditRecord result;
  result.request_id = "4f2a";
  result.project = "p1";
  result.decision = "refuse";
  result.rule = "mount.host-path";
  return result;
}

/// A Podman, and a place for a journal at /run/systemd/journal of a program that runs in a mount namespace of its own.
struct Scene {
  TemporaryDirectory directory;
  FakePodman podman{directory.path("upstream.sock")};
  std::string run = directory.path("run");

  Scene() { std::filesystem::create_directories(run + "/systemd/journal"); }
  std::string socket() const { return run + "/systemd/journal/socket"; }
  std::vector<std::string> around() const {
    return {"/usr/bin/unshare",
            "--user",
            "--map-root-user",
            "--mount",
            "/bin/sh",
            "-c",
            "mount --bind \"$0\" /run && exec \"$@\"",
            run};
  }
};

}  // namespace

TEST_CASE("a record is an entry with fields of its own, and the line as its message") {
  const TemporaryDirectory directory;
  Journal journal(directory.path("socket"));
  REQUIRE(journal.bound());
  const auto sink = open_journal(directory.path("socket"));
  CHECK(sink->write(record(), R"({"a":1})") == 0);
  CHECK(journal.entry() ==
        "PRIORITY=6\nSYSLOG_IDENTIFIER=podfence\nPODFENCE_PROJECT=p1\nPODFENCE_DECISION=refuse\n"
        "PODFENCE_RULE=mount.host-path\nPODFENCE_REQUEST_ID=4f2a\nMESSAGE={\"a\":1}\n");
  const std::string longest(60'000, 'a');
  CHECK(sink->write(record(), longest) == 0);
  CHECK(Journal::field(journal.entry().value_or(""), "MESSAGE") == longest);
}

TEST_CASE("without a journal there is no log, and one that goes away is missed until it is there again") {
  const TemporaryDirectory directory;
  const auto path = directory.path("socket");
  CHECK_THROWS_WITH(open_journal(path),
                    ("the audit log cannot go to the journal: " + path + ": No such file or directory").c_str());
  auto journal = std::make_unique<Journal>(path);
  const auto sink = open_journal(path);
  CHECK(sink->write(record(), "{}") == 0);
  journal.reset();
  CHECK(sink->write(record(), "{}") == ENOENT);
  Journal again(path);
  CHECK(sink->write(record(), "{\"b\":2}") == 0);
  CHECK(Journal::field(again.entry().value_or(""), "MESSAGE") == "{\"b\":2}");
}

TEST_CASE("a journal that takes nothing is waited for once, for a second") {
  const TemporaryDirectory directory;
  const Journal journal(directory.path("socket"));
  const auto sink = open_journal(directory.path("socket"));
  std::size_t taken = 0;
  while (taken < 10'000 && sink->write(record(), "{}") == 0) ++taken;
  CHECK(taken > 0);
  CHECK(taken < 10'000);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) CHECK(sink->write(record(), "{}") == EAGAIN);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(30));  // not for a hundred
}

// That it does not start without one: tests/program.
TEST_CASE("podfence writes to the journal of its machine, and serves on when that goes") {
  Scene scene;
  const auto upstream = scene.directory.path("upstream.sock");
  const std::string ping = "GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n";
  auto journal = std::make_unique<Journal>(scene.socket());
  REQUIRE(journal->bound());
  Program program(upstream, "journald", scene.around());
  const auto refused = program.client().request("GET /v1.41/nothing HTTP/1.1\r\nHost: d\r\n\r\n");
  const auto entry = journal->entry().value_or("");
  CHECK(Journal::field(entry, "PODFENCE_PROJECT") == "p1");
  CHECK(Journal::field(entry, "PODFENCE_DECISION") == "refuse");
  CHECK(Journal::field(entry, "PODFENCE_RULE") == "endpoint.unknown");
  CHECK(Journal::field(entry, "PODFENCE_REQUEST_ID") == refused.field("X-Podfence-Request-Id"));
  const auto line = Journal::field(entry, "MESSAGE");
  const auto read = podfence::rules::read_audit_line(line);
  REQUIRE_MESSAGE(std::holds_alternative<AuditRecord>(read), line);
  CHECK(std::get<AuditRecord>(read).request_id == refused.field("X-Podfence-Request-Id"));

  journal.reset();
  for (int i = 0; i < 3; ++i) CHECK(program.client().request(ping).content == "OK");
  const std::string told = "cannot write the audit log: No such file or directory; decisions are not recorded";
  const auto said = program.said();
  CHECK_MESSAGE(said.find(told) != std::string::npos, said);
  CHECK(said.find(told) == said.rfind(told));
  Journal again(scene.socket());
  CHECK(program.client().request(ping).content == "OK");
  CHECK(Journal::field(again.entry().value_or(""), "PODFENCE_DECISION") == "allow");
}
