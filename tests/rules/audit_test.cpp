// What a line of the audit log looks like, and that no client can break it.
#include "rules/audit.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "policy_files.hpp"
#include "rules/json.hpp"
#include "rules/json_schema.hpp"
#include "rules/refusal.hpp"

using namespace podfence::rules;

namespace {

AuditRecord example() {
  return {.time = "2026-01-02T03:04:05.678Z",
          .request_id = "4f2a0123456789abcdef0123456789ab",
          .generation = 3,
          .project = "p1",
          .listener = "/run/p1/podman.sock",
          .peer_uid = 1000,
          .peer_pid = 42,
          .method = "GET",
          .endpoint = "/containers/{name}/json",
          .target = "/containers/web/json",
          .objects = {"0123abcd"},
          .decision = "allow",
          .rule = "",
          .subject = "",
          .status = 200,
          .aborted = "",
          .bytes_in = 0,
          .bytes_out = 1234,
          .duration_us = 890};
}

json::Value read_back(const AuditRecord& record) {
  auto value = json::parse(write_audit_line(record));
  REQUIRE(std::holds_alternative<json::Value>(value));
  return std::get<json::Value>(std::move(value));
}

/// One of each kind: what a field can be, each at its ends.
std::vector<AuditRecord> every_kind() {
  std::vector<AuditRecord> records(1, example());
  const auto add = [&](auto change) { change(records.emplace_back(example())); };
  for (const auto& rule : refusal_table)
    add([&](AuditRecord& record) {
      const Deny deny{&rule, "it", Kind::None};
      record.decision = audit_decision(deny);
      record.rule = rule.id;
      record.status = rule.status;
    });
  for (const char* why : {"client-gone", "client-slow", "upstream", "stopped", "project-removed", "error"})
    add([&](AuditRecord& record) { record.aborted = why; });
  add([](AuditRecord& record) { record.decision = "rewrite"; });
  add([](AuditRecord& record) {  // nothing is known of it
    record.project = record.method = record.endpoint = record.target = "";
    record.objects = {};
    record.status = 0;
    record.peer_uid = record.peer_pid = -1;
    record.identity = "uri:spiffe://x/y";
    record.remote = "192.0.2.7:4711";
  });
  add([](AuditRecord& record) {
    record.method = std::string(99, '\x01');
    record.target = "/" + std::string(999, '\x01');
    record.subject = std::string(999, '\x01');
    record.bytes_in = record.bytes_out = UINT64_MAX;
  });
  add([](AuditRecord& record) { record.query = Redacted{"", false}; });
  add([](AuditRecord& record) {
    record.query = Redacted{"all=true&name=a%20b", false};
    record.content = Redacted{R"({"Cmd":["\u00E9\u007f\"\\"],"n":1.50,"x":[null,true,{}]})", false};
  });
  add([](AuditRecord& record) {
    record.query = Redacted{std::string(max_redacted_query, 'a'), true};
    record.content = Redacted{R"({"Cmd":[")" + std::string(max_redacted_content - 9, 'a'), true};
  });
  return records;
}

}  // namespace

TEST_CASE("a line is the document that it stands for, whatever bytes a client has sent and wherever") {
  for (int byte = 0; byte < 256; ++byte)
    for (std::size_t size = 1; size < 40; size += size % 16 == 0 ? 1 : 3)
      for (const auto at : {std::size_t(0), size / 2, size - 1}) {
        AuditRecord record;
        record.subject = std::string(size, 'x');
        record.subject[at] = static_cast<char>(byte);
        record.objects = {record.subject, "o"};
        record.bytes_in = std::numeric_limits<std::uint64_t>::max();
        record.duration_us = std::numeric_limits<std::int64_t>::min();
        REQUIRE(write_audit_line(record) == json::write(audit_document(record)));
      }
  AuditRecord record;
  record.target = "/" + std::string(5000, '"');
  CHECK(write_audit_line(record) == json::write(audit_document(record)));
}

TEST_CASE("a line is the text of its document") {
  for (auto record : every_kind()) {
    if (record.content && !record.content->cut) record.content = std::nullopt;  // that stands in the line as it is
    CHECK(write_audit_line(record) == json::write(audit_document(record)));
  }
}

TEST_CASE("every kind of line has the form that the schema tells, and reads as the record that it was made of") {
  std::set<std::string> decisions;
  for (const auto& record : every_kind()) {
    const auto line = write_audit_line(record);
    CAPTURE(line);
    const auto read = read_audit_line(line);
    const auto* wrong = std::get_if<std::string>(&read);
    REQUIRE_MESSAGE(!wrong, *wrong);
    CHECK(std::all_of(line.begin(), line.end(), [](char c) { return c >= 0x20 && c < 0x7f; }));
    decisions.insert(record.decision);
    if (record.target.find('\x01') == std::string::npos) CHECK(std::get<AuditRecord>(read) == record);
  }
  CHECK(decisions == std::set<std::string>{"allow", "rewrite", "hide", "refuse", "error"});
}

TEST_CASE("a line that says more, less or something else is none") {
  const auto line = write_audit_line(example());
  const auto changed = [&](std::string_view from, std::string_view to) {
    auto text = line;
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    const auto read = read_audit_line(text.replace(at, from.size(), to));
    const auto* wrong = std::get_if<std::string>(&read);
    return wrong ? *wrong : "read";
  };
  const std::string none = "it is no line of an audit log: ";
  CHECK(changed("4f2a", "4f2b") == "read");
  CHECK(
      changed("\"status\":200", "\"status\":200,\"extra\":1").starts_with(none + "/extra is not a key that is known"));
  CHECK(changed("\"status\":200,", "").starts_with(none + "the whole"));
  CHECK(changed("\"allow\"", "\"perhaps\"").starts_with(none + "/decision must be a decision; allowed: \"allow\""));
  CHECK(changed("\"generation\":3", "\"generation\":0").starts_with(none + "/generation must be"));
  CHECK(changed("\"status\":200", "\"status\":\"200\"").starts_with(none + "/status must be"));
  CHECK(changed("2026-01-02T", "2026-01-02 ").starts_with(none + "/time must be"));
  CHECK(changed("4f2a", "4F2A").starts_with(none + "/request_id must be"));
  CHECK(changed("{\"time\"", "{\"time").starts_with("it is not JSON: "));
  CHECK(std::get<std::string>(read_audit_line("")).starts_with("it is not JSON: "));
}

TEST_CASE("docs/audit.md tells every member of a line, and the built-in schema is the shipped file") {
  const std::string root = PODFENCE_SOURCE_DIR;
  CHECK(podfence::tests::file_text(root + "/rules/audit.schema.json") == audit_schema);
  const auto page = podfence::tests::file_text(root + "/docs/audit.md");
  const auto schema = std::get<json::Value>(json::parse(audit_schema));
  std::size_t told = 0;
  for (const auto& [name, member] : *schema.find("properties")->members()) {
    CHECK_MESSAGE(page.find("| `" + name + "`") != std::string::npos, name);
    ++told;
  }
  CHECK(told == 25);
}

TEST_CASE("a record becomes one line of JSON with its keys in a fixed order") {
  CHECK(
      write_audit_line(example()) ==
      R"({"time":"2026-01-02T03:04:05.678Z","request_id":"4f2a0123456789abcdef0123456789ab",)"
      R"("generation":3,"project":"p1","listener":"/run/p1/podman.sock","peer_uid":1000,"peer_pid":42,"method":"GET","endpoint":"/containers/{name}/json",)"
      R"("target":"/containers/web/json","objects":["0123abcd"],"decision":"allow","rule":"","subject":"",)"
      R"("status":200,"aborted":"","bytes_in":0,"bytes_out":1234,"duration_us":890})");
}

TEST_CASE("every byte that is not printable ASCII is escaped, in every text") {
  std::string all_bytes;
  for (int byte = 0; byte < 256; ++byte) all_bytes += static_cast<char>(byte);
  AuditRecord record = example();
  for (std::string* text :
       {&record.time, &record.request_id, &record.project, &record.listener, &record.method, &record.endpoint,
        &record.target, &record.decision, &record.rule, &record.subject, &record.aborted})
    *text = all_bytes;
  record.objects = {all_bytes, "\xff\xfe", "line\nbreak"};

  const std::string line = write_audit_line(record);
  CHECK(std::all_of(line.begin(), line.end(), [](char c) { return c >= 0x20 && c < 0x7f; }));
  const json::Value value = read_back(record);
  CHECK(*value.find("objects")->items()->at(1).string() == R"(\xff\xfe)");
  CHECK(*value.find("objects")->items()->at(2).string() == R"(line\x0abreak)");
}

TEST_CASE("an escape cannot be forged") {
  AuditRecord forged = example(), real = example();
  forged.target = R"(/a\x0ab)";
  real.target = "/a\nb";
  CHECK(read_back(forged).text("target") == R"(/a\x5cx0ab)");
  CHECK(read_back(real).text("target") == R"(/a\x0ab)");
}

TEST_CASE("long texts are cut at their limits") {
  AuditRecord record = example();
  record.method = std::string(1000, 'M');
  record.target = std::string(1000, '/');
  record.subject = std::string(1000, '\x01');
  const json::Value value = read_back(record);
  CHECK(value.text("method").size() == 16);
  CHECK(value.text("target").size() == 512);
  CHECK(value.text("subject").size() == 4 * 200);
}

TEST_CASE("extreme numbers are written as they are") {
  AuditRecord record = example();
  record.peer_uid = record.peer_pid = -1;
  record.bytes_in = UINT64_MAX;
  const json::Value value = read_back(record);
  CHECK(value.find("peer_uid")->int64() == -1);
  CHECK(value.find("bytes_in")->uint64() == UINT64_MAX);
}

TEST_CASE("a subject comes into the log without what may be a secret") {
  const struct {
    const Refusal* rule;
    std::string subject, logged;
  } rows[] = {
      {refusal("ownership.hidden"), "web", "web"},
      {refusal("field.unknown"), "HostConfig.Zz", "HostConfig.Zz"},
      {refusal("http.field"), "Authorization: secret", ""},
      {refusal("http.expectation"), "secret", ""},
      {refusal("content.json"), "the name secret is given twice", ""},
      {refusal("env.host"), "secret", ""},
      {refusal("content.encoding"), "secret", ""},
      {refusal("query.syntax"), "password=secret%00", "password"},
      {refusal("mount.option"), "password=secret", "password"},
      {refusal("mount.option"), "a=secret=secret", "a"},
      {refusal("image.reference"), "user:secret@registry/x", "...@registry/x"},
      {refusal("image.reference"), "user:secret@secret@registry/x", "...@registry/x"},
      {refusal("image.reference"), "user:secret@registry/x=secret", "...@registry/x"},
      {refusal("image.reference"), "user:secret=secret@registry/x", "..."},
      {refusal("image.reference"), "a=secret@secret", "..."},
  };
  for (const auto& row : rows) {
    CAPTURE(row.subject);
    CHECK(audit_subject({row.rule, row.subject, Kind::None}) == row.logged);
  }
}

TEST_CASE("of a target only its path comes into the log") {
  CHECK(audit_target("/v1.41/info?a=secret") == "/v1.41/info");
  CHECK(audit_target("http://user:secret@d/v1.41/info") == "");
  CHECK(audit_target("user:secret@d:80") == "");
  CHECK(audit_target("") == "");
}
