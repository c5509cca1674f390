// libpod's report of a removal: [{"Id":"…","RawInput":"…"}], of a network [{"Name":"…","Err":null}]. Podman repeats
// what it was sent, and that was the id; clients print it.

#include "rules/answer/rewrite.hpp"
#include "rules/answer/scrub.hpp"

namespace podfence::rules::answer {

bool rewrite_removal(Exchange& exchange, json::Value& document) {
  if (document.is_null()) document = json::Value::array();
  auto* rows = document.items();
  const auto* subject = exchange.facts.find(exchange.match.endpoint->subject, exchange.match.name);
  if (!rows || !subject) return rows;
  for (auto& row : *rows) {
    for (const auto* member : {"RawInput", "Name"})
      if (row.text(member) == subject->id) row.set(member, exchange.match.name);
    if (auto* error = row.find("Err"); error && error->string()) *error = scrub(exchange, *error->string());
  }
  return true;
}

}  // namespace podfence::rules::answer
