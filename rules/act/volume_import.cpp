#include "rules/act/act.hpp"
#include "rules/refusal.hpp"

namespace podfence::rules::act {

namespace {

/// Where the endpoint begins, and where it is sound: in between upstream's own releases unpack through a symbolic link
/// that a container has put into the volume, onto the host (CVE-2025-11395). Those that are mended in between cannot be
/// told by these two numbers.
constexpr EngineVersion first_with_import{5, 6}, first_sound_import{6, 2};

}  // namespace

Decision volume_import(Exchange& exchange) {
  auto decision = plain(exchange);
  if (std::holds_alternative<Deny>(decision)) return decision;
  const auto version = exchange.facts.engine_version();
  if (!version || *version < first_with_import || *version >= first_sound_import) return decision;
  return Deny{refusal("volume.import"),
              "Podman " + std::to_string(version->major) + "." + std::to_string(version->minor), Kind::None};
}

}  // namespace podfence::rules::act
