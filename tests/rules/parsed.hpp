#pragma once
// A value that a test says as JSON.

#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>

#include "rules/json.hpp"

namespace podfence::tests {

inline rules::json::Value parsed(std::string_view text) {
  auto result = rules::json::parse(text, rules::json::answer_limits);
  if (auto* error = std::get_if<rules::json::Error>(&result)) throw std::runtime_error(error->what);
  return std::get<rules::json::Value>(std::move(result));
}

}  // namespace podfence::tests
