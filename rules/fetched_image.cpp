#include "rules/fetched_image.hpp"

#include "rules/json.hpp"

namespace podfence::rules {

namespace {

std::string text_of(std::string_view document, std::string_view name) {
  const auto parsed = json::parse(document);
  const auto* value = std::get_if<json::Value>(&parsed);
  return value ? std::string(value->text(name)) : "";
}

}  // namespace

Request pull_of(const Fetch& wanted) {
  Request request;
  request.method = Method::Post;
  const std::string path = "/v4.0.0/libpod/images/pull";
  const auto target = parse_target(
      write_target(path, {{"reference", wanted.reference}, {"policy", wanted.newer ? "newer" : "always"}}));
  request.target = std::get<Target>(target);
  request.registry_auth = wanted.registry_auth;
  return request;
}

Match endpoint_of(const Request& pull) { return std::get<Match>(route(pull.method, pull.target)); }

std::string error_message(std::string_view answer) { return text_of(answer, "message"); }

std::string error_of_line(std::string_view line) { return text_of(line, "error"); }

}  // namespace podfence::rules
