#pragma once
// What the operator's socket answers: JSON about projects. docs/admin-api.md tells each member.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rules/configuration.hpp"
#include "rules/facts.hpp"
#include "rules/operator/orphans.hpp"
#include "rules/operator/teardown.hpp"

namespace podfence::rules {

/// A project that is served, or that was added and cannot be.
struct ProjectState {
  const ProjectConfiguration* project = nullptr;
  const json::Value* definition = nullptr;      ///< as it was added; nullptr: it stands in the configuration
  std::size_t connections = 0;                  ///< of clients
  std::string last_request = {};                ///< RFC 3339, "" for none since podfence began
  std::string wrong = {};                       ///< why it is not served
  std::optional<std::int64_t> lease_left = {};  ///< seconds
  std::optional<Teardown> ending = {};          ///< it is not served any more
  std::vector<std::string> left = {};           ///< what could not be torn down yet
};

json::Value project_document(const ProjectState& state);
json::Value projects_document(std::span<const ProjectState> states);
/// With what it has, and what its quotas are. nullopt: noted as questions, which are to be answered before it is asked
/// again.
std::optional<json::Value> project_document(const ProjectState& state, Facts& facts);

/// What `DELETE` answers when something was done with what the project had.
json::Value teardown_document(const std::string& id, Teardown how, const TeardownReport& report);

/// A project that nobody knows, of which there are things.
struct Orphan {
  std::string project;
  OrphanSurvey::Things things = {};
  TeardownReport report = {};  ///< of what was removed
};
/// What `POST /gc` answers. `ending`: projects of which something is left to be torn down.
json::Value collection_document(bool dry_run, const std::vector<std::string>& ending, std::span<const Orphan> orphans);

/// What `POST /validate` and `POST /reload` answer to a configuration that loads.
json::Value configuration_document(const Configuration& configuration, std::size_t generation);

}  // namespace podfence::rules
