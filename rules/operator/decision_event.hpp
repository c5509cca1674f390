#pragma once
// A decision as those who watch read it: what the audit log has, and in words why, what to do, and where the policy
// stands that could change it. docs/admin-api.md tells each member.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "rules/audit.hpp"
#include "rules/configuration.hpp"
#include "rules/json.hpp"
#include "rules/operator/call.hpp"

namespace podfence::rules {

/// Which decisions somebody wants. None named means all; a rule may be a family: "mount" is every rule "mount.…".
class DecisionFilter {
 public:
  DecisionFilter() = default;
  DecisionFilter(std::vector<std::string> projects, std::vector<std::string> decisions, std::vector<std::string> rules)
      : projects_(std::move(projects)), decisions_(std::move(decisions)), rules_(std::move(rules)) {}
  bool takes(const AuditRecord& record) const;

 private:
  std::vector<std::string> projects_;
  std::vector<std::string> decisions_;
  std::vector<std::string> rules_;
};

struct WantedDecisions {
  DecisionFilter filter;
  std::size_t recent = 0;  ///< of those that were made before
};

/// The queries of `GET /decisions`: `project`, `decision` and `rule`, each a list with commas, and `recent`, at most
/// `most`. Refused: a decision or rule that there is not, since nothing would ever be told of it.
std::variant<WantedDecisions, Deny> wanted_decisions(const OperatorCall& call, std::size_t most);

json::Value decision_event(const AuditRecord& record, const std::optional<PolicyPlace>& place);

/// Of a stream of server-sent events: one that holds a decision, and one that tells how many were left out.
std::string event_text(const json::Value& decision);
std::string lost_event_text(std::size_t lost);

/// The decision in a line `data: …` of the stream, for people or, with `json`, as it is; "" for other lines.
std::string decision_line(std::string_view line, bool json);

}  // namespace podfence::rules
