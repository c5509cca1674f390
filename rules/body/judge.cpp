// Contents that are judged, and the two kinds that are not.

#include <algorithm>

#include "rules/body/refuse.hpp"
#include "rules/body/table.hpp"
#include "rules/body/walk.hpp"
#include "rules/exchange.hpp"

namespace podfence::rules {

namespace {

/// What people typed was `docker build`: buildx makes a container of such a name for BuildKit.
void mend_way_out(Deny& deny, const Exchange& exchange) {
  const auto names = values_of(exchange.request.target, "name");
  if (deny.rule == refusal("privilege.privileged") && !names.empty() && names.front().starts_with("buildx_buildkit_"))
    deny.way_out = "set DOCKER_BUILDKIT=0 to use the classic builder: BuildKit's needs it";
}

}  // namespace

const Table* table_of(Body body) {
  const auto found = std::ranges::find(tables(), body, &Table::body);
  return found == tables().end() ? nullptr : &*found;
}

std::variant<JudgedBody, Deny> judge_body(Body body, const json::Value& content, Exchange& exchange) {
  const std::string_view endpoint = exchange.match.endpoint ? exchange.match.endpoint->path : "";
  const Table* table = table_of(body);
  if (!table) {
    const bool empty = content.is_null() || (content.members() && content.members()->empty());
    if (!empty) return *refuse(refusal("content.unexpected"), endpoint);
    return JudgedBody{};
  }
  if (!content.members()) return *refuse(refusal("content.missing"), endpoint);
  JudgedBody judged;
  if (auto deny = walk(*table, content, exchange, judged)) {
    mend_way_out(*deny, exchange);
    return std::move(*deny);
  }
  return judged;
}

}  // namespace podfence::rules
