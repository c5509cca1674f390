#pragma once
// The page to look at: one document, with its style and its program in it, that loads nothing else
// (rules/operator/page/).

#include <string_view>

namespace podfence::rules {

extern const std::string_view page_style;
extern const std::string_view page_script;
/// The whole of it.
extern const std::string_view page;

}  // namespace podfence::rules
