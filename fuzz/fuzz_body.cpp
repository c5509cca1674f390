// Contents of requests: `<letter><digit><JSON>`. The letter says what is made or done (capital: Docker's API), the
// digit by which policy. What is accepted is a fixpoint, carries the label, names nothing foreign and holds no field
// outside of its table.

#include <algorithm>
#include <array>

#include "fuzz/accepted_body.hpp"
#include "fuzz/fuzz.hpp"
#include "fuzz/json_mutator.hpp"
#include "rules/audit.hpp"

using namespace podfence;
using namespace podfence::rules;
using fuzz::claim;

namespace {

struct Family {
  char letter;
  Body body;
};
constexpr auto families = std::to_array<Family>({
    {'C', Body::ContainerCreateCompat},
    {'c', Body::ContainerCreateLibpod},
    {'U', Body::ContainerUpdateCompat},
    {'u', Body::ContainerUpdateLibpod},
    {'p', Body::PodCreate},
    {'V', Body::VolumeCreateCompat},
    {'v', Body::VolumeCreateLibpod},
    {'N', Body::NetworkCreateCompat},
    {'n', Body::NetworkCreateLibpod},
    {'K', Body::NetworkConnectCompat},
    {'k', Body::NetworkConnectLibpod},
    {'d', Body::NetworkDisconnect},
    {'w', Body::NetworkUpdate},
    {'E', Body::ExecCreateCompat},
    {'e', Body::ExecCreateLibpod},
    {'s', Body::ExecStart},
    {'r', Body::ExecRemove},
});

Body body_of(char letter) {
  const auto place = std::ranges::find(families, letter, &Family::letter);
  if (place != families.end()) return place->body;
  return families[static_cast<unsigned char>(letter) % families.size()].body;
}

/// nullopt: refused.
std::optional<JudgedBody> judge(fuzz::World& world, const fuzz::Setting& setting, Body body,
                                const json::Value& content) {
  const Request request;
  const Match match;
  auto knowledge = world.know(setting);
  Exchange exchange{setting.project, match, request, knowledge.facts};
  for (int round = 0; round < 8; ++round) {
    auto judged = judge_body(body, content, exchange);
    if (std::holds_alternative<Deny>(judged)) return std::nullopt;
    if (knowledge.facts.complete()) return std::get<JudgedBody>(std::move(judged));
    world.answer(setting, knowledge.facts, knowledge.facts.take_open());
  }
  claim(false, "a content settles within eight rounds");
  return std::nullopt;
}

/// JSON text: what is accepted is written and read again as the same value, and written to the same text.
void check_text(const json::Value& value) {
  const auto written = json::write(value);
  const auto again = json::parse(written);
  const auto* same = std::get_if<json::Value>(&again);
  claim(same && *same == value, "what was written is the same value", written);
  claim(json::write(*same) == written, "the same value is the same text", written);
}

void check_objects(const JudgedBody& judged) {
  for (const auto& volume : judged.volumes)
    claim(!fuzz::is_foreign_volume(volume.name) && !is_own_name(volume.name), "no foreign volume is made", volume.name);
  for (const auto& network : judged.networks)
    claim(fuzz::foreign_in(network.name).empty(), "no foreign network is made", network.name);
}

/// What an audit log that is told to would have of it.
void check_recorded(Body body, const json::Value& content) {
  Endpoint row{};
  row.body = body;
  AuditRecord record;
  record.time = "2026-01-02T03:04:05.678Z";
  record.request_id = std::string(32, '0');
  record.decision = "allow";
  record.content = redacted_content(row, content);
  if (!record.content) return;
  const auto line = write_audit_line(record);
  claim(std::ranges::all_of(line, [](char c) { return c >= 0x20 && c < 0x7f; }), "an audit line is printable", line);
  const auto read = read_audit_line(line);
  claim(std::holds_alternative<AuditRecord>(read), "an audit line has the form of its schema", line);
  claim(std::get<AuditRecord>(read) == record, "an audit line reads as what it was made of", line);
  if (record.content->cut) return;
  const auto kept = json::parse(record.content->text);
  const auto again = redacted_content(row, std::get<json::Value>(kept));
  claim(again == record.content, "what was redacted holds nothing more to take out", again->text + "\n" + line);
}

}  // namespace

std::size_t fuzz::json_begins(std::string_view input) { return input.size() < 2 ? std::string_view::npos : 2; }

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::World world;
  const auto input = fuzz::text_of(data, size);
  if (input.size() < 2) return 0;
  const auto body = body_of(input[0]);
  const auto& setting = fuzz::setting_of(input[1]);
  const auto content = json::parse(input.substr(2));
  const auto* value = std::get_if<json::Value>(&content);
  if (!value) return 0;
  check_text(*value);
  check_recorded(body, *value);
  const auto judged = judge(world, setting, body, *value);
  if (!judged) return 0;
  fuzz::check_accepted(body, judged->content, setting);
  check_objects(*judged);
  const auto text = json::write(judged->content);
  const auto read = json::parse(text);
  claim(std::holds_alternative<json::Value>(read), "what goes upstream is JSON", text);
  claim(std::get<json::Value>(read) == judged->content, "what goes upstream is what was judged", text);
  if (!fuzz::can_be_said(text, setting)) return 0;
  const auto again = judge(world, setting, body, std::get<json::Value>(read));
  claim(again.has_value(), "what goes upstream is accepted", text);
  const auto same = json::write(again->content);
  claim(same == text, "what goes upstream is a fixpoint", text + "\n" + same);
  return 0;
}
