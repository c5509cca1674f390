#include "rules/shown_request.hpp"

#include "rules/json_pointer.hpp"

namespace podfence::rules {

namespace {

constexpr std::string_view instead = "(secret)";

json::Value* find(json::Value& root, std::string_view pointer) {
  json::Value* value = &root;
  for (const auto& name : json::names_of_pointer(pointer)) value = value ? value->find(name) : nullptr;
  return value;
}

}  // namespace

/// What cannot be found is no reason to show the rest.
UpstreamRequest as_shown(UpstreamRequest request) {
  if (!request.content || request.confidential.empty()) return request;
  auto parsed = json::parse(*request.content, json::answer_limits);
  auto* document = std::get_if<json::Value>(&parsed);
  for (const auto& pointer : request.confidential) {
    json::Value* value = document && !pointer.empty() ? find(*document, pointer) : nullptr;
    if (!value) {
      request.content = instead;
      return request;
    }
    *value = instead;
  }
  request.content = json::write(*document);
  return request;
}

}  // namespace podfence::rules
