#pragma once
// Bytes of a client in a line for people or programs.

#include <string>
#include <string_view>

namespace podfence::rules {

/// Every byte that is not printable ASCII, and the backslash, becomes `\xNN`: a line never holds control characters or
/// broken UTF-8, and two different texts never look alike. `limit` bounds what is read, so that an escape stays whole.
std::string escaped(std::string_view text, std::size_t limit = std::string_view::npos);

}  // namespace podfence::rules
