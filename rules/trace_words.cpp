#include "rules/trace_words.hpp"

#include "rules/ascii.hpp"
#include "rules/audit.hpp"
#include "rules/body/table.hpp"
#include "rules/error_answer.hpp"

namespace podfence::rules {
namespace {

/// As the pages are shown: lower case, blanks as dashes, nothing else but letters, digits and dashes.
std::string anchor_of(std::string_view heading) {
  std::string anchor = "#";
  for (const char c : ascii::lower(heading)) {
    if (ascii::is_alphanumeric(c) || c == '-') anchor += c;
    if (c == ' ') anchor += '-';
  }
  return anchor;
}

}  // namespace

std::string_view decision_word(const Trace& trace) {
  if (const auto* deny = std::get_if<Deny>(&trace.decision)) return audit_decision(*deny);
  return audit_decision(trace.decision, *trace.endpoint);
}

std::string_view ownership_word(Ownership ownership) {
  switch (ownership) {
    case Ownership::Missing:
      return "missing";
    case Ownership::Foreign:
      return "foreign";
    case Ownership::Shared:
      return "shared";
    case Ownership::Own:
      return "own";
  }
  return "";
}

std::string_view difference_word(json::Difference::Kind kind) {
  switch (kind) {
    case json::Difference::Kind::Added:
      return "add";
    case json::Difference::Kind::Removed:
      return "remove";
    case json::Difference::Kind::Changed:
      return "change";
    case json::Difference::Kind::Respelled:
      return "respell";
  }
  return "";
}

std::string_view claim_word(Claim::Change change) {
  switch (change) {
    case Claim::Change::HoldImage:
      return "hold image";
    case Claim::Change::DropImage:
      return "drop image";
    case Claim::Change::OwnTag:
      return "own tag";
    case Claim::Change::MakeTag:
      return "make tag";
    case Claim::Change::DropTag:
      return "drop tag";
    case Claim::Change::HoldSecret:
      return "hold secret";
    case Claim::Change::DropSecret:
      return "drop secret";
    case Claim::Change::RenewCacheKey:
      return "renew the key of the layer cache";
  }
  return "";
}

std::string endpoint_document(const Endpoint& endpoint) {
  const bool docker = endpoint.family == Family::Docker;
  const std::string_view heading = endpoint.act == Act::Refuse ? "Refused"
                                   : docker                    ? "Served, Docker API"
                                                               : "Served, libpod API";
  return "docs/endpoints.md" + anchor_of(heading);
}

std::string content_document(const Endpoint& endpoint) {
  const Table* table = endpoint.act == Act::Refuse ? nullptr : table_of(endpoint.body);
  return table ? "docs/fields.md" + anchor_of(table->title) : "";
}

Reply answer_to(const Trace& trace, const Deny& deny) { return error_answer(deny, trace.endpoint); }

std::string_view printable_field(const Field& field) {
  return ascii::equal_caseless(field.name, "X-Registry-Auth") ? "(not shown)" : std::string_view(field.value);
}

}  // namespace podfence::rules
