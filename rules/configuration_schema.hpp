#pragma once
// The shipped schema, rules/configuration.schema.json, as text. CMake writes the source file of it.

#include <string_view>

namespace podfence::rules {

extern const std::string_view configuration_schema;

}  // namespace podfence::rules
