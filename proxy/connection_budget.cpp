#include "proxy/connection_budget.hpp"

#include <algorithm>

namespace podfence::proxy {

namespace {

/// Besides the client's: Podman's, and one for a file that is looked at meanwhile.
constexpr std::uint64_t files_of_request = 2;
/// The ledger, the logs, the event loop, idle connections to Podman, the operator's socket and its clients.
constexpr std::uint64_t files_of_process = 96;

std::uint64_t files_beside(std::size_t projects) { return files_of_process + projects * (1 + max_turned_away); }

}  // namespace

ConnectionBudget::ConnectionBudget(std::size_t in_all, std::size_t per_project, std::size_t projects)
    : in_all_(in_all), per_project_(std::min(per_project, in_all)) {
  share_out(projects);
}

// Rounded to the nearest: never more than there are, and at least one for each project wherever there are enough.
void ConnectionBudget::share_out(std::size_t projects) {
  reserved_ = projects == 0 ? 0 : (in_all_ + projects) / (2 * projects);
  common_ = static_cast<std::ptrdiff_t>(in_all_ - reserved_ * projects);
  std::erase_if(projects_, [](const auto& project) { return project.second == 0; });
  for (const auto& [project, taken] : projects_)
    if (taken > reserved_) common_ -= static_cast<std::ptrdiff_t>(taken - reserved_);
}

ConnectionBudget::Place::~Place() {
  if (!budget_) return;
  if (of_project_ > budget_->reserved_) ++budget_->common_;
  --of_project_;
}

std::variant<ConnectionBudget::Place, ConnectionBudget::Full> ConnectionBudget::take(const std::string& project) {
  auto& of_project = projects_[project];
  if (of_project >= per_project_) return Full::Project;
  if (of_project >= reserved_) {
    if (common_ <= 0) return Full::All;
    --common_;
  }
  ++of_project;
  return Place(*this, of_project);
}

std::uint64_t open_files_for(Room room, std::size_t projects) {
  return files_beside(projects) + room.connections + room.requests * files_of_request;
}

Room room_within(std::uint64_t open_files, Room wanted, std::size_t projects) {
  wanted.requests = std::min(wanted.requests, wanted.connections);
  if (open_files_for(wanted, projects) <= open_files) return wanted;
  const auto beside = files_beside(projects);
  const auto left = open_files <= beside ? 0 : static_cast<std::size_t>(open_files - beside);
  // Half of them for requests.
  const auto requests = std::min(wanted.requests, left / (2 * files_of_request));
  return {std::min(wanted.connections, left - requests * files_of_request), requests};
}

}  // namespace podfence::proxy
