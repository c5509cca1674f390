#pragma once
// JSON pointers (RFC 6901): "/projects/p1/socket", "" for the whole.

#include <string>
#include <string_view>
#include <vector>

#include "rules/json.hpp"

namespace podfence::rules::json {

/// The pointer of the member, or of the item, of that name within what `pointer` names.
std::string extended(std::string_view pointer, std::string_view name);

/// The names that it is made of.
std::vector<std::string> names_of_pointer(std::string_view pointer);

/// What it names, or nullptr.
const Value* find(const Value& root, std::string_view pointer);

/// Lines of a text count from 1; the end of a text is on the line of what stands last.
std::size_t line_at(std::string_view text, std::size_t byte);

/// The line of the member or item in a text that can be parsed; where there is none, of what is nearest to it.
std::size_t line_of(std::string_view text, std::string_view pointer);

}  // namespace podfence::rules::json
