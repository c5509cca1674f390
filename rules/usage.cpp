#include "rules/usage.hpp"

#include <limits>

namespace podfence::rules {

namespace {

constexpr std::size_t index(Resource resource) { return static_cast<std::size_t>(resource); }

}  // namespace

std::int64_t sum_of(std::int64_t left, std::int64_t right) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return left > most - right ? most : left + right;
}

Usage::OfProject& Usage::of(std::string_view project) {
  const auto found = projects_.find(project);
  return found == projects_.end() ? projects_[std::string(project)] : found->second;
}

std::optional<std::int64_t> Usage::bound(std::string_view project, Resource resource) const {
  const auto found = projects_.find(project);
  return found == projects_.end() ? std::nullopt : found->second.bounds[index(resource)];
}

void Usage::counted(std::string_view project, Resource resource, std::int64_t count) {
  of(project).bounds[index(resource)] = count;
}

std::int64_t Usage::running(std::string_view project, Resource resource) const {
  const auto found = projects_.find(project);
  return found == projects_.end() ? 0 : found->second.running[index(resource)];
}

Usage::Running Usage::begin(std::string_view project, const std::vector<Use>& uses) {
  Running result;
  auto& own = of(project);
  for (const auto& [resource, amount] : uses) {
    auto& bound = own.bounds[index(resource)];
    if (lasts(resource) && bound) bound = sum_of(*bound, amount);
    if (lasts(resource)) continue;
    own.running[index(resource)] += amount;
    result.parts_.emplace_back(&own.running[index(resource)], amount);
  }
  return result;
}

}  // namespace podfence::rules
