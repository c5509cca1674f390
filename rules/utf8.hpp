#pragma once
// Whether text is well-formed UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.

#include <string_view>

namespace podfence::rules {

bool is_utf8(std::string_view text);

}  // namespace podfence::rules
