#include "rules/method.hpp"

#include <array>
#include <utility>

namespace podfence::rules {

namespace {

constexpr auto methods = std::to_array<std::pair<Method, std::string_view>>({
    {Method::Get, "GET"},
    {Method::Head, "HEAD"},
    {Method::Post, "POST"},
    {Method::Put, "PUT"},
    {Method::Delete, "DELETE"},
});

}  // namespace

std::string_view text(Method method) {
  for (const auto& [value, name] : methods)
    if (value == method) return name;
  return {};
}

std::optional<Method> parse_method(std::string_view text) {
  for (const auto& [value, name] : methods)
    if (name == text) return value;
  return std::nullopt;
}

}  // namespace podfence::rules
