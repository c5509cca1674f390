#pragma once
// The syntax of object names.

#include <string_view>

namespace podfence::rules {

/// `[A-Za-z0-9][A-Za-z0-9_.-]*`, at most 255.
bool is_name(std::string_view text);

/// 12 or more characters, all hexadecimal digits.
bool is_id_like(std::string_view name);

}  // namespace podfence::rules
