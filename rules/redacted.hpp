#pragma once
// What a log may have of a query and a content, where its operator wants them (`audit.bodies`): names, and values that
// are known to hold no secret. Enough to judge the request again, as far as values do not matter.

#include <optional>
#include <string>

#include "rules/exchange.hpp"

namespace podfence::rules {

/// Printable ASCII.
struct Redacted {
  std::string text;
  bool cut = false;  ///< only the beginning of it
  friend bool operator==(const Redacted&, const Redacted&) = default;
};

/// Stands for every value that is taken out. Base64 of something, so that it fits wherever a secret's value does.
inline constexpr std::string_view redacted_value = "REDACTED";

inline constexpr std::size_t max_redacted_query = 4 * 1024;
inline constexpr std::size_t max_redacted_content = 16 * 1024;

/// As a target has it. `endpoint`: nullptr where there is none; then no value is known.
Redacted redacted_query(const Target& target, const Endpoint* endpoint);

/// Of a content that is judged by a table, as JSON; nullopt for those that are about secrets and for all others.
std::optional<Redacted> redacted_content(const Endpoint& endpoint, const json::Value& content);

}  // namespace podfence::rules
