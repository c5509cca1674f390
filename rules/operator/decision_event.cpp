#include "rules/operator/decision_event.hpp"

#include <algorithm>
#include <charconv>

#include "rules/contains.hpp"
#include "rules/escaped.hpp"
#include "rules/refusal.hpp"

namespace podfence::rules {

namespace {

using json::Value;

std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const auto comma = list.find(',');
    words.emplace_back(list.substr(0, comma));
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return words;
}

bool is_wanted(const std::vector<std::string>& words, std::string_view word) {
  return words.empty() || contains(words, word);
}

bool is_decision(std::string_view word) { return contains(audit_decisions, word); }

bool is_rule_or_family(std::string_view word) {
  return std::ranges::any_of(refusal_table,
                             [&](const Refusal& row) { return word == row.id || word == family_of(row.id); });
}

std::optional<std::size_t> number_up_to(std::size_t most, std::string_view said) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(said.data(), said.data() + said.size(), number);
  return error == std::errc() && end == said.data() + said.size() && number <= most ? std::optional(number)
                                                                                    : std::nullopt;
}

Deny meaningless(std::string_view query, std::string_view wanted, std::string_view said) {
  return Deny{refusal("query.value"),
              std::string(query).append(", ").append(wanted).append(": ").append(escaped(said, 100))};
}

/// As in the answer to the client, but by what the audit log may say.
std::string sentence_of(const AuditRecord& record) {
  const auto rule = std::ranges::find(refusal_table, record.rule, &Refusal::id);
  if (rule == refusal_table.end()) return "";
  const auto subject = escaped(record.subject, 200);
  if (rule->hidden) return "the client reads that it does not exist, as it reads of what is not its own: " + subject;
  std::string sentence(rule->sentence);
  if (const auto place = sentence.find("{}"); place != std::string::npos) sentence.replace(place, 2, subject);
  return sentence;
}

Value document_of(const PolicyPlace& place) {
  auto document = Value::object();
  if (!place.file.empty()) document.set("file", place.file);
  if (place.line > 0) document.set("line", Value::integer(static_cast<std::int64_t>(place.line)));
  document.set("where", place.where);
  document.set("stands", place.stands);
  return document;
}

std::string place_text(const Value& place) {
  std::string text(place.text("file").empty() ? "the configuration" : place.text("file"));
  if (const auto line = place.int64("line")) text += ":" + std::to_string(*line);
  return text + ": " + std::string(place.text("where")) + (place.flag("stands") ? "" : " (nothing says it yet)");
}

std::string padded(std::string_view text, std::size_t width) {
  std::string field(text);
  field.resize(std::max(field.size() + 1, width), ' ');
  return field;
}

/// One line, and of a refusal up to three more below it.
std::string people_text(const Value& decision) {
  const auto milliseconds = std::to_string(decision.int64("duration_us").value_or(0) / 1000) + " ms";
  const auto status = decision.int64("status").value_or(0);
  auto text = padded(decision.text("time"), 25) + padded(decision.text("project"), 16) +
              padded(decision.text("decision"), 8) + padded(status ? std::to_string(status) : "-", 4) +
              padded(milliseconds, 8) + std::string(decision.text("method")) + " " +
              std::string(decision.text("target")) + "\n";
  const auto below = [&](std::string_view name, std::string_view what) {
    if (!what.empty()) text += "    " + padded(name, 9) + std::string(what) + "\n";
  };
  below("rule", decision.text("rule"));
  below("reason", decision.text("sentence"));
  below("way out", decision.text("way_out"));
  std::string policy(decision.text("policy"));
  if (const auto* place = decision.find("place")) policy += ", " + place_text(*place);
  below("policy", policy);
  return text;
}

}  // namespace

bool DecisionFilter::takes(const AuditRecord& record) const {
  const bool rule_wanted = is_wanted(rules_, record.rule) || is_wanted(rules_, family_of(record.rule));
  return is_wanted(projects_, record.project) && is_wanted(decisions_, record.decision) && rule_wanted;
}

std::variant<WantedDecisions, Deny> wanted_decisions(const OperatorCall& call, std::size_t most) {
  auto decisions = words_of(call.said("decision")), rules = words_of(call.said("rule"));
  if (const auto other = std::ranges::find_if_not(decisions, is_decision); other != decisions.end())
    return meaningless("decision", "some of allow, rewrite, hide, refuse, error", *other);
  if (const auto other = std::ranges::find_if_not(rules, is_rule_or_family); other != rules.end())
    return meaningless("rule", "some of docs/refusals.md or what stands before their dots", *other);
  const auto said = call.said("recent");
  const auto recent = number_up_to(most, said.empty() ? "0" : said);
  if (!recent) return meaningless("recent", "a number up to " + std::to_string(most), said);
  return WantedDecisions{{words_of(call.said("project")), std::move(decisions), std::move(rules)}, *recent};
}

Value decision_event(const AuditRecord& record, const std::optional<PolicyPlace>& place) {
  auto event = audit_document(record);
  if (record.own_us >= 0) event.set("own_us", Value::integer(record.own_us));
  if (record.upstream_us >= 0) event.set("upstream_us", Value::integer(record.upstream_us));
  const auto set = [&](std::string_view name, const std::string& text) {
    if (!text.empty()) event.set(name, text);
  };
  set("sentence", sentence_of(record));
  set("way_out", escaped(record.way_out, 400));
  set("policy", record.policy);
  if (place) event.set("place", document_of(*place));
  return event;
}

std::string event_text(const Value& decision) { return "event: decision\ndata: " + json::write(decision) + "\n\n"; }

std::string lost_event_text(std::size_t lost) {
  auto document = Value::object();
  document.set("lost", Value::integer(static_cast<std::int64_t>(lost)));
  return "event: lost\ndata: " + json::write(document) + "\n\n";
}

std::string decision_line(std::string_view line, bool json) {
  constexpr std::string_view data = "data: ";
  if (!line.starts_with(data)) return "";
  line.remove_prefix(data.size());
  if (json) return std::string(line) + "\n";
  const auto parsed = json::parse(line);
  const auto* document = std::get_if<Value>(&parsed);
  if (!document) return "";
  if (const auto lost = document->int64("lost")) return "(" + std::to_string(*lost) + " more, too fast to be told)\n";
  return people_text(*document);
}

}  // namespace podfence::rules
