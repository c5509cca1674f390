#pragma once
// Here-documents behind RUN (imagebuilder/dockerfile/parser: heredocsFromLine, with BuildKit's word splitting). Two
// word splitters and a shell read such a line, so only plain ones are taken.

#include <string_view>
#include <variant>
#include <vector>

#include "rules/dockerfile/reading.hpp"

namespace podfence::rules::dockerfile {

/// The here-documents that the command opens, still without their lines; none on most lines. Refused where the line
/// could be read in two ways, where the engine reads none, and behind COPY and ADD: buildah 1.39 writes their text to
/// /var/tmp/NAME, which builds that run at once share (StageExecutor.performCopy).
std::variant<std::vector<Heredoc>, Deny> heredocs_of(const Command& command, EngineVersion engine);

}  // namespace podfence::rules::dockerfile
