#pragma once
// The requests of the operator's socket: one row each. docs/admin-api.md tells what they answer.

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/decision.hpp"
#include "rules/target.hpp"

namespace podfence::rules {

enum class OperatorAction {
  Health,
  Ready,
  Metrics,
  ListProjects,
  ShowProject,
  PutProject,
  RemoveProject,
  RenewProject,
  Collect,
  Reload,
  Validate,
  Decisions,
  History,
  Page,
};

struct OperatorRow {
  OperatorAction action;
  Method method;               ///< a row of GET takes HEAD too
  std::string_view path;       ///< `{id}` stands for a project
  bool takes_content = false;  ///< a text; else none may come
  std::vector<std::string_view> query = {};
  bool of_page = false;  ///< the page needs it: `podfence dashboard` lets it through
};
std::span<const OperatorRow> operator_rows();
const OperatorRow* operator_row(OperatorAction action);
/// The row's path, with the project in the place of `{id}`.
std::string operator_target(const OperatorRow& row, std::string_view project);

struct OperatorCall {
  const OperatorRow* row = nullptr;
  std::string project = {};  ///< for a row with `{id}`: a project's id, if it is one
  std::vector<QueryPair> query = {};

  /// "" for what was not said.
  std::string_view said(std::string_view name) const;
};

/// What a request asks for, or why it is refused.
std::variant<OperatorCall, Deny> operator_call(Method method, std::string_view target);

}  // namespace podfence::rules
