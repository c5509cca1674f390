#include "rules/made_object.hpp"

#include <algorithm>

#include "rules/image_name.hpp"
#include "rules/json.hpp"
#include "rules/secret.hpp"

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
  if (!document) return std::nullopt;
  if (is_secret_id(document->text("ID"))) return std::string(document->text("ID"));
  return full_image_id(document->text("Id"));
}

std::vector<Claim> with_made_id(std::vector<Claim> claims, std::string_view answer) {
  const auto is_about_it = [](const Claim& claim) { return claim.what == made_id_mark; };
  if (std::ranges::none_of(claims, is_about_it)) return claims;
  const auto id = made_id(answer);
  if (!id) std::erase_if(claims, is_about_it);
  for (auto& claim : claims)
    if (is_about_it(claim)) claim.what = *id;
  return claims;
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
