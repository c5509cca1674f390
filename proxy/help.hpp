#pragma once
// What podfence says of its commands.

#include <string>
#include <string_view>

namespace podfence::proxy {

/// The text of `podfence help`.
std::string usage();

/// The part of it that is about one command, by its first word; "" for a word that is none.
std::string usage_of(std::string_view command);

}  // namespace podfence::proxy
