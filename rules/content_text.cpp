#include "rules/content_text.hpp"

#include "rules/yaml.hpp"

namespace podfence::rules {

namespace {

template <class Error>
Deny deny_unreadable(const Refusal* rule, const Error& error) {
  return {error.beyond_limit ? refusal("content.too-complex") : rule, error.text(), Kind::None};
}

}  // namespace

std::variant<json::Value, Deny> read_content(Body body, std::string_view text, const json::Limits& limits) {
  if (is_yaml(body)) {
    auto documents = yaml::parse(text, {.depth = limits.depth, .names = limits.names});
    if (const auto* error = std::get_if<yaml::Error>(&documents)) return deny_unreadable(refusal("kube.yaml"), *error);
    return json::Value(std::get<json::Array>(std::move(documents)));
  }
  auto value = json::parse(text, limits);
  if (const auto* error = std::get_if<json::Error>(&value)) return deny_unreadable(refusal("content.json"), *error);
  return std::get<json::Value>(std::move(value));
}

}  // namespace podfence::rules
