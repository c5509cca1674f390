#include "proxy/examination.hpp"

#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace {

using rules::Deny;
using rules::refusal;
using Refused = std::optional<Deny>;

/// Clients send "null", "{}" or the query once more where there is nothing to say.
constexpr std::size_t max_empty_content = 64 * 1024;

bool says_nothing(std::string_view content, const rules::Target& target) {
  if (content.empty()) return true;
  const auto parsed = rules::json::parse(content);
  const auto* value = std::get_if<rules::json::Value>(&parsed);
  return value && (value->is_zero() || rules::repeats_query(*value, target));
}

bool is_served(const rules::Endpoint& endpoint) { return endpoint.refusal == nullptr; }

}  // namespace

Refused Examination::route() {
  auto target = rules::parse_target(head_.target);
  if (auto* deny = std::get_if<Deny>(&target)) return std::move(*deny);
  request_.method = head_.method;
  request_.target = std::get<rules::Target>(std::move(target));
  request_.upgrade = head_.upgrade;
  request_.registry_auth = head_.registry_auth;
  auto match = rules::route(head_.method, request_.target);
  if (auto* deny = std::get_if<Deny>(&match)) return std::move(*deny);
  match_ = std::get<rules::Match>(std::move(match));
  return check_upgrade();
}

Refused Examination::check_upgrade() {
  const bool hijacks = rules::relay_of(endpoint().answer) == rules::Relay::Hijack;
  // Stream bytes that were sent ahead of a tunnel that does not come must not be read as the next request.
  ends_connection_ = head_.upgrade || hijacks;
  if (!head_.upgrade || hijacks || !is_served(endpoint())) return std::nullopt;
  return Deny{refusal("http.upgrade"), std::string(endpoint().path), rules::Kind::None};
}

Task<Refused> Examination::read_content() {
  const auto body = endpoint().body;
  request_.has_content = content_.expected();
  if (!request_.has_content || body == rules::Body::Stream || !is_served(endpoint())) co_return std::nullopt;
  const bool takes_none = body == rules::Body::None;
  const auto limit = takes_none ? max_empty_content : services_.limits.json_bytes;
  const auto content = co_await content_.read_whole(limit);
  if (!content) co_return content_.failure();
  request_.has_content = !takes_none && !content->empty();
  if (takes_none && !says_nothing(*content, request_.target)) {
    ends_connection_ = true;
    co_return Deny{refusal("content.unexpected"), std::string(rules::text(request_.method)), rules::Kind::None};
  }
  if (!request_.has_content) co_return std::nullopt;
  auto parsed = rules::json::parse(*content);
  if (auto* error = std::get_if<rules::json::Error>(&parsed))
    co_return Deny{refusal("content.json"), error->text(), rules::Kind::None};
  request_.content = std::get<rules::json::Value>(std::move(parsed));
  co_return std::nullopt;
}

Task<rules::Decision> Examination::decide() {
  inquiry_.emplace(services_, project_, match_, request_);
  co_return co_await inquiry_->decide();
}

}  // namespace podfence::proxy
