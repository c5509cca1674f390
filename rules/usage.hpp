#pragma once
// How much every project has of what its quota counts; one for a server. Of what lasts upstream (containers, volumes,
// limits of memory) it knows an upper bound: what was counted last and all that was added since. What goes away only
// makes the bound too high, and a bound that is too high costs a count, never a thing too many. What lasts as long as a
// request (streams, builds, pulls) is counted here and nowhere else.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/decision.hpp"
#include "rules/policy.hpp"
#include "rules/sizes.hpp"

namespace podfence::rules {

/// Does that much more fit below the quota? Amounts are never negative; their sum may be too large for a number.
constexpr bool fits(std::int64_t used, std::int64_t amount, std::int64_t quota) {
  return amount <= quota && used <= quota - amount;
}

std::int64_t sum_of(std::int64_t left, std::int64_t right);  ///< at most what the type holds

/// Is it counted by what upstream has, and not by the requests that are under way?
constexpr bool lasts(Resource resource) {
  return resource != Resource::Streams && resource != Resource::Builds && resource != Resource::Images;
}

class Usage {
 public:
  /// Requests under way, until it goes.
  class Running {
   public:
    Running() = default;
    Running(Running&& other) noexcept : parts_(std::exchange(other.parts_, {})) {}
    Running& operator=(Running&& other) noexcept {
      std::swap(parts_, other.parts_);
      return *this;
    }
    ~Running() {
      for (const auto& [place, amount] : parts_) *place -= amount;
    }

   private:
    friend Usage;
    std::vector<std::pair<std::int64_t*, std::int64_t>> parts_;
  };

  /// At most that many are there; nullopt before they were counted.
  std::optional<std::int64_t> bound(std::string_view project, Resource resource) const;
  void counted(std::string_view project, Resource resource, std::int64_t count);
  std::int64_t running(std::string_view project, Resource resource) const;

  /// To be called between the decision and whatever else happens.
  Running begin(std::string_view project, const std::vector<Use>& uses);

  /// The limits of containers that were looked at once; only an update changes them. What the host user's own podman
  /// updates is seen when podfence starts anew.
  using Containers = std::map<std::string, Sizes, std::less<>>;
  Containers& containers(std::string_view project) { return of(project).containers; }

 private:
  struct OfProject {
    std::array<std::optional<std::int64_t>, resource_count> bounds;
    std::array<std::int64_t, resource_count> running{};
    Containers containers;
  };
  OfProject& of(std::string_view project);

  std::map<std::string, OfProject, std::less<>> projects_;  ///< never forgotten: Running points into it
};

}  // namespace podfence::rules
