#pragma once
// The kinds of object a request can name, and whose they are.

#include <string_view>

namespace podfence::rules {

enum class Kind { None, Container, Pod, Volume, Network, Image, Exec, Secret, Manifest };

std::string_view text(Kind kind);

/// Volumes have no id, networks have to be named by name in places, and secrets are read by their names whenever a
/// container needs them: names that can change hands between a decision and what is done about it. They are locked
/// meanwhile.
constexpr bool has_lasting_id(Kind kind) {
  return kind != Kind::Volume && kind != Kind::Network && kind != Kind::Secret;
}

/// Called by names that a project gives, and can have to itself (names.hpp).
constexpr bool has_private_name(Kind kind) {
  return kind == Kind::Container || kind == Kind::Pod || kind == Kind::Volume || kind == Kind::Network ||
         kind == Kind::Secret;
}

/// Own: carries the project's label, or is in its ledger. Shared: an image that policy lets everybody use and nobody
/// change. Foreign and Missing must never be told apart by a client.
enum class Ownership { Missing, Foreign, Shared, Own };

}  // namespace podfence::rules
