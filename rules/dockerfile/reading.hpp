#pragma once
// From the text to instructions that are not judged yet: directives, comments, continuation lines, the name, the flags
// and the rest (imagebuilder/dockerfile/parser: Parse, splitCommand).

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/dockerfile/dockerfile.hpp"

namespace podfence::rules::dockerfile {

struct Command {
  const InstructionRow* row = nullptr;
  std::vector<std::string> flags;  ///< words that begin with "--", without their quotes
  std::string rest;
  std::vector<Heredoc> heredocs;
  std::size_t line = 0;  ///< where it begins, from 1
};

/// One logical line. Refuses an instruction that is not known, and one without arguments: the builder ends on some
/// (imagebuildah/build.go, warnOnUnsetBuildArgs: `ARG` alone takes the engine down).
std::variant<Command, Deny> read_command(std::string_view text, std::size_t line);

std::variant<std::vector<Command>, Deny> read_commands(std::string_view text, EngineVersion engine);

}  // namespace podfence::rules::dockerfile
