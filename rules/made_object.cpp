#include "rules/made_object.hpp"

#include "rules/image_name.hpp"
#include "rules/json.hpp"

namespace podfence::rules {

namespace {

constexpr std::string_view pod_member = "pod";

bool is_json(const UpstreamRequest& request) {
  for (const auto& field : request.fields)
    if (field.name == "Content-Type") return field.value == "application/json";
  return false;
}

}  // namespace

std::optional<std::string> made_id(std::string_view answer) {
  const auto parsed = json::parse(answer, json::answer_limits);
  const auto* document = std::get_if<json::Value>(&parsed);
  return document ? full_image_id(document->text("Id")) : std::nullopt;
}

UpstreamRequest with_made_id(UpstreamRequest request, std::string_view id) {
  if (const auto at = request.target.find(made_id_mark); at != std::string::npos)
    request.target.replace(at, made_id_mark.size(), id);
  if (!request.content || !is_json(request)) return request;
  auto parsed = json::parse(*request.content, json::answer_limits);
  if (auto* content = std::get_if<json::Value>(&parsed); content && content->members()) {
    content->set(pod_member, id);
    request.content = json::write(*content);
  }
  return request;
}

}  // namespace podfence::rules
