#pragma once
// Linux capabilities by the names that the configuration has for them.

#include <optional>
#include <string>
#include <string_view>

namespace podfence::rules {

/// In lower case, without "cap_".
std::string capability_name(std::string_view text);

/// What is wrong with a name in `capabilities`, and in `insecure_capabilities`.
std::optional<std::string> wrong_with_capability(std::string_view name);
std::optional<std::string> wrong_with_insecure_capability(std::string_view name);

}  // namespace podfence::rules
