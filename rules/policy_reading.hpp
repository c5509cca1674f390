#pragma once
// A policy out of the configuration's JSON, that has the form that the schema demands.

#include <optional>
#include <string>
#include <variant>

#include "rules/json.hpp"
#include "rules/policy.hpp"

namespace podfence::rules {

/// What is wrong within a policy.
struct PolicyError {
  std::string where;  ///< JSON pointer from the policy on
  std::string what;
};

/// `value` may hold the other keys of a project too. Every value is judged by itself.
std::variant<Policy, PolicyError> read_policy(const json::Value& value);

/// What does not fit together in a policy that is complete.
std::optional<PolicyError> check_policy(const Policy& policy);

/// `over` over `base`: objects are merged key by key, everything else is replaced.
json::Value merged(json::Value base, const json::Value& over);

}  // namespace podfence::rules
