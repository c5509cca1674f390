// What a line of the audit log looks like, and that no client can break it.
#include "rules/audit.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "rules/json.hpp"
#include "rules/refusal.hpp"

using namespace podfence::rules;

namespace {

AuditRecord example() {
  return {.time = "2026-01-02T03:04:05.678Z",
          .request_id = "4f2a",
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

}  // namespace

TEST_CASE("a record becomes one line of JSON with its keys in a fixed order") {
  CHECK(write_audit_line(example()) ==
        R"({"time":"2026-01-02T03:04:05.678Z","request_id":"4f2a","project":"p1","listener":"/run/p1/podman.sock",)"
        R"("peer_uid":1000,"peer_pid":42,"method":"GET","endpoint":"/containers/{name}/json",)"
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
