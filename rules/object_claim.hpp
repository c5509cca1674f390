#pragma once
// Named volumes are made before the container that mounts them: Podman would make them without a label, and then they
// would be nobody's. So is the project's own network. Making one, looking whose it turned out to be, and taking a
// volume back when the container failed.

#include <optional>
#include <string_view>

#include "rules/decision.hpp"
#include "rules/facts.hpp"

namespace podfence::rules {

/// Makes the object with the project's label. Podman refuses when the name is in use, by whomever.
UpstreamRequest claim(const Project& project, const NewVolume& volume);
UpstreamRequest claim(const Project& project, const NewNetwork& network);
/// Did the answer to that say that the volume was made just now?
bool volume_was_made(int status);

/// What shows whose the object is in the end.
Question owner_of_claimed(Kind kind, std::string_view name);
/// `fact` is the answer to that question. Another project's is hidden, none at all is upstream's failure.
std::optional<Deny> check_claim(Kind kind, const Fact& fact, std::string_view name);

UpstreamRequest unclaim_volume(std::string_view name);

}  // namespace podfence::rules
