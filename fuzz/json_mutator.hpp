#pragma once
// Structure-aware mutation of JSON: a target whose inputs end in JSON says where it begins, and is linked with
// json_mutator.cpp, which has libFuzzer's hooks.

#include <cstddef>
#include <string_view>

namespace podfence::fuzz {

/// Defined by the target: where the JSON begins in an input. npos: there is none.
std::size_t json_begins(std::string_view input);

}  // namespace podfence::fuzz
