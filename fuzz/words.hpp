#pragma once
// What clients say: the names in the tables, and values that mean something. The structure-aware mutation inserts them,
// and fuzz_dictionary prints them for libFuzzer and AFL++.

#include <string>
#include <string_view>
#include <vector>

namespace podfence::fuzz {

/// Fields of contents, query parameters, filters, and keys of the configuration.
const std::vector<std::string>& known_names();

/// Texts of JSON values: names of objects, modes, paths, sizes.
const std::vector<std::string_view>& telling_texts();
/// JSON numbers at the edges of types and limits.
const std::vector<std::string_view>& telling_numbers();

}  // namespace podfence::fuzz
