#pragma once
// The instructions and flags that are known. What stands in no row is refused.

#include <span>
#include <string_view>

#include "rules/engine_version.hpp"

namespace podfence::rules::dockerfile {

enum class Verb {
  Add,
  Arg,
  Cmd,
  Copy,
  Entrypoint,
  Env,
  Expose,
  From,
  Healthcheck,
  Label,
  Maintainer,
  Onbuild,
  Run,
  Shell,
  Stopsignal,
  User,
  Volume,
  Workdir
};

enum class FlagValue {
  Text,     ///< written as it is, variables and all
  Known,    ///< names or decides something: variables are put in, and must be known
  Repeated  ///< Text that may stand more than once
};

struct FlagRow {
  std::string_view name;
  FlagValue value;
  EngineVersion since = {};  ///< older ones refuse it
};

struct InstructionRow {
  Verb verb;
  std::string_view name;   ///< as we write it
  std::string_view lower;  ///< as Podman compares it
  std::span<const FlagRow> flags;
};

/// nullptr: not known. `lower` as it stands in the rows.
const InstructionRow* find_instruction(std::string_view lower);
const FlagRow* find_flag(const InstructionRow& row, std::string_view name);

/// The Podman whose builder is proven to read here-documents, RUN --network and the like, and to resolve what it mounts
/// beneath its own root. Older ones follow symbolic links of the client's making on the host (CVE-2024-1753 and its
/// kin: bind sources, cache ids, what VOLUME preserves).
inline constexpr EngineVersion proven_builder{5, 4};
inline bool has_heredocs(EngineVersion engine) { return engine >= proven_builder; }
inline bool follows_links(EngineVersion engine) { return engine < proven_builder; }

}  // namespace podfence::rules::dockerfile
