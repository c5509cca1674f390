#pragma once
// One instruction: its flags, and what stands behind them where that names, fetches or labels something.

#include <string_view>
#include <variant>

#include "rules/dockerfile/dockerfile.hpp"
#include "rules/dockerfile/reading.hpp"
#include "rules/dockerfile/source.hpp"
#include "rules/dockerfile/substitution.hpp"

namespace podfence::rules::dockerfile {

/// What counts where the instruction stands.
struct Place {
  const Options& options;
  const StageNames& stages;
  Variables& variables;      ///< ENV and ARG add to them
  const Variables* heading;  ///< what ARG without a value takes; nullptr before the first FROM
};

/// Every instruction but FROM.
std::variant<Instruction, Deny> judge(Command command, Place place);

/// The value of a flag that names or decides something, of flags that have been read; "" without it.
std::variant<std::string, Deny> known_value(const Command& command, std::string_view flag, const Variables& variables);

/// Flags that no row knows, without a value, given twice, or with text that could be read as another flag.
std::variant<std::vector<Flag>, Deny> read_flags(const Command& command, EngineVersion engine);

/// An instruction that is run in builds from the image: it may name no image, mount nothing, fetch nothing.
std::optional<Deny> judge_trigger(Command command, const Options& options);

}  // namespace podfence::rules::dockerfile
