#pragma once
// The refusals as Markdown, the text of docs/refusals.md.

#include <string>

namespace podfence::rules {

std::string refusals_markdown();

}  // namespace podfence::rules
