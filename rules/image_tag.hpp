#pragma once
// Names that clients give to images: by tag, build, commit, import, load, and to manifest lists. Each takes the name
// away from the image that had it, so it must be free or the project's own alone.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/exchange.hpp"

namespace podfence::rules {

struct NewTag {
  std::string name;           ///< normalised, as it is sent
  std::vector<Claim> before;  ///< before the request is sent
  std::vector<Claim> on_failure;
};

/// What the client's name is called in full; nullopt: it is none.
std::optional<std::string> name_of_new_tag(const Exchange& exchange, std::string_view asked);

/// A short name means docker.io/library/ in Docker's API and localhost/ in libpod's. With facts missing the result is
/// thrown away (facts.hpp).
std::variant<NewTag, Deny> new_tag(Exchange& exchange, std::string_view asked);

}  // namespace podfence::rules
