#pragma once
// The request methods Podman's API uses. Every other method, and every other spelling, is refused (RFC 9110 section 9;
// Podman answers 405 to lower case).

#include <optional>
#include <string_view>

namespace podfence::rules {

enum class Method { Get, Head, Post, Put, Delete };

std::string_view text(Method method);

/// It changes nothing, and may be sent twice (RFC 9110 section 9.2.1).
constexpr bool is_safe(Method method) { return method == Method::Get || method == Method::Head; }

/// Exact, case-sensitive; nullopt for any method that has no row in the endpoint table.
std::optional<Method> parse_method(std::string_view text);

}  // namespace podfence::rules
