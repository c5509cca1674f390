#include "proxy/examination.hpp"

#include "rules/content_text.hpp"
#include "rules/decide.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace {

using rules::Deny;
using rules::refusal;
using Refused = std::optional<Deny>;

/// Clients send "null", "{}" or the query once more where there is nothing to say.
constexpr std::size_t max_empty_content = 64 * 1024;

/// Podman takes no larger one.
constexpr std::size_t max_secret = 512'000;

bool is_served(const rules::Endpoint& endpoint) { return endpoint.refusal == nullptr; }

}  // namespace

Refused Examination::route() {
  auto target = rules::parse_target(head_.target, services_.limits.target_bytes);
  if (auto* deny = std::get_if<Deny>(&target)) return std::move(*deny);
  request_.method = head_.method;
  request_.target = std::get<rules::Target>(std::move(target));
  is_read_ = true;
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
  request_.has_content = content_.expected();
  if (!is_served(endpoint())) co_return std::nullopt;
  if (auto archive_rules = rules::archive_rules(endpoint(), request_, project_))
    co_return co_await read_archive(std::move(*archive_rules));
  if (endpoint().body == rules::Body::Secret) co_return co_await read_secret();
  if (!request_.has_content || endpoint().body == rules::Body::Stream) co_return std::nullopt;
  co_return co_await read_json();
}

/// What no archive could make right is refused before a byte of it is read.
Refused Examination::refused_without_archive() {
  rules::Facts facts(project_, services_.known(), services_.memory, services_.usage);
  rules::Exchange exchange{project_, match_, request_, facts};
  auto decision = rules::decide(exchange);
  if (auto* deny = std::get_if<Deny>(&decision)) return std::move(*deny);
  return std::nullopt;
}

Task<Refused> Examination::read_archive(rules::ArchiveRules archive_rules) {
  if (auto refused = refused_without_archive()) co_return refused;
  archive_ = std::make_unique<SpooledArchive>(services_, content_.executor(), project_.id);
  if (auto refused = co_await archive_->receive(content_)) co_return refused;
  rules::Archive known;
  for (std::optional next = std::move(archive_rules); next; next = rules::further_archive_rules(endpoint(), known)) {
    auto judged = co_await archive_->judge(*std::move(next), std::move(known));
    if (auto* deny = std::get_if<Deny>(&judged)) co_return std::move(*deny);
    known = std::get<rules::Archive>(std::move(judged));
  }
  request_.archive = std::move(known);
  co_return std::nullopt;
}

Task<Refused> Examination::read_secret() {
  auto content = co_await content_.read_whole(max_secret, buffered_);
  if (!content) {
    ends_connection_ = true;
    co_return content_.failure();
  }
  request_.bytes = std::move(content);
  co_return std::nullopt;
}

Task<Refused> Examination::read_json() {
  const bool takes_none = endpoint().body == rules::Body::None || rules::is_archive(endpoint().body);
  const auto limit = takes_none ? max_empty_content : services_.limits.json_bytes;
  auto content = std::exchange(supplied_, std::nullopt);
  if (!content) content = co_await content_.read_whole(limit, buffered_);
  if (!content) {
    ends_connection_ = true;
    co_return content_.failure();
  }
  request_.has_content = !takes_none && !content->empty();
  if (content->empty()) co_return std::nullopt;
  auto refused = judge_content(*content);
  ends_connection_ |= takes_none && refused;
  co_return refused;
}

Refused Examination::judge_content(std::string_view content) {
  const bool takes_none = endpoint().body == rules::Body::None || rules::is_archive(endpoint().body);
  const Deny unexpected{refusal("content.unexpected"), std::string(rules::text(request_.method)), rules::Kind::None};
  auto read = rules::read_content(endpoint().body, content, {services_.limits.json_depth, services_.limits.json_names});
  if (auto* deny = std::get_if<Deny>(&read)) {
    const bool beyond_limit = deny->rule == refusal("content.too-complex");
    return takes_none && !beyond_limit ? unexpected : std::move(*deny);
  }
  auto& value = std::get<rules::json::Value>(read);
  if (takes_none) {
    if (value.is_zero() || rules::repeats_query(value, request_.target)) return std::nullopt;
    return unexpected;
  }
  // The text goes, the value stays until upstream has answered: behind other requests of the project that can be long.
  buffered_.shrink_to(0);
  if (!buffered_.take(rules::json::footprint(value)))
    return Deny{refusal("server.busy"), "too much content waits to be judged", rules::Kind::None};
  request_.content = std::move(value);
  return std::nullopt;
}

Task<rules::Decision> Examination::decide() {
  inquiry_.emplace(services_, project_, match_, request_, content_.waits());
  return inquiry_->decide();
}

}  // namespace podfence::proxy
