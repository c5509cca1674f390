#pragma once
// How the parts of this library say no.

#include <cstddef>
#include <string>
#include <string_view>

#include "rules/decision.hpp"
#include "rules/dockerfile/instruction.hpp"
#include "rules/dockerfile/reading.hpp"

namespace podfence::rules::dockerfile {

/// With the place in the file, and no more than the beginning of what stands there, in whole characters.
inline Deny deny_at(const Refusal* rule, std::size_t line, std::string_view what) {
  std::size_t most = 120;
  if (what.size() > most)
    while (most > 0 && (what[most] & '\xc0') == '\x80') --most;
  return Deny{rule, "line " + std::to_string(line) + ": " + std::string(what.substr(0, most)), Kind::None};
}

/// What an instruction says.
inline Deny refuse(const Command& command, const Refusal* rule, std::string_view what) {
  return deny_at(rule, command.line, std::string(command.row->name) + " " + std::string(what));
}

}  // namespace podfence::rules::dockerfile
