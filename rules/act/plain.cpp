// The common way: one object or none in the path, a query, perhaps content; judged, written anew, sent on.

#include <algorithm>
#include <array>

#include "rules/act/act.hpp"
#include "rules/contains.hpp"
#include "rules/json.hpp"
#include "rules/quota.hpp"
#include "rules/shown_path.hpp"

namespace podfence::rules::act {

namespace {

/// A shared object may be read by everybody and changed by nobody.
std::optional<Deny> deny_change_of_shared(const Exchange& exchange, Kind kind) {
  const auto method = exchange.request.method;
  if (is_safe(method)) return std::nullopt;
  return Deny{kind == Kind::Network ? refusal("network.shared-default") : refusal("image.shared"), exchange.match.name,
              kind};
}

/// An exec session, and a copy to the container: what runs in it then is the client's.
bool brings_in(const Exchange& exchange) {
  const auto& endpoint = *exchange.match.endpoint;
  return endpoint.body == Body::ExecCreateCompat || endpoint.body == Body::ExecCreateLibpod ||
         endpoint.query == Query::ArchivePut;
}

/// Podman writes neither limits nor privileges of a pod into its infra container, whatever policy says: that one runs
/// what Podman has given it and nothing else.
std::optional<Deny> deny_use_of_infra(Exchange& exchange, const Fact& fact) {
  if (!brings_in(exchange) || !exchange.facts.is_infra(fact.id).value_or(false)) return std::nullopt;
  return Deny{refusal("pod.infra"), exchange.match.name, Kind::None};
}

/// What names the object upstream. An id cannot come to mean something else, so it is that, but for the one verb to
/// which it means less than the name: Podman finds the containers on a network by the word in the path
/// (abi/network.go:NetworkRm), and takes one named by its id away from under them.
std::string_view upstream_word(const Endpoint& endpoint, const Fact& fact) {
  return endpoint.act == Act::NetworkRemove ? fact.document.text("name") : std::string_view(fact.id);
}

}  // namespace

Subject subject_of(Exchange& exchange) {
  const auto kind = exchange.match.endpoint->subject;
  const auto& name = exchange.match.name;
  if (name.empty()) return {nullptr, hidden(kind, name)};
  // A container's anonymous volumes carry no label: who owned them must be known before it goes.
  const bool goes = kind == Kind::Container && exchange.request.method == Method::Delete;
  const auto* fact = exchange.facts.find(kind, name, goes);
  if (!fact) return {};
  switch (fact->ownership) {
    case Ownership::Own:
      return {fact, deny_use_of_infra(exchange, *fact)};
    case Ownership::Shared:
      return {fact, deny_change_of_shared(exchange, kind)};
    case Ownership::Foreign:
    case Ownership::Missing:
      break;
  }
  return {fact, hidden(kind, name)};
}

Subject usable_image(Exchange& exchange, std::string_view reference) {
  const auto* fact = exchange.facts.find(Kind::Image, reference);
  if (!fact) return {};
  const bool usable = fact->ownership == Ownership::Own || fact->ownership == Ownership::Shared;
  return {fact, usable ? std::nullopt : std::optional(hidden(Kind::Image, reference))};
}

std::string upstream_path(const Exchange& exchange, std::string_view id) {
  const auto& version = exchange.request.target.version;
  const auto path = exchange.match.endpoint->path;
  std::string result = version.empty() ? "" : "/" + version;
  const auto open = path.find('{');
  if (open == std::string_view::npos) return result.append(path);
  const auto close = path.find('}', open);
  return result.append(path.substr(0, open)).append(encode(id)).append(path.substr(close + 1));
}

/// What is not there counts as removed where the client says so: `podman rm --ignore` and `run --replace`, `docker
/// volume rm --force`. Podman 4.3 to 5.4 answer this.
struct RemovedAlready {
  Query query;
  Family family;
  QueryPair said;
  int status;
  std::string_view content;
};
const std::array removed_already{
    RemovedAlready{Query::ContainerRemove, Family::Libpod, {"ignore", "true"}, 200, "[]\n"},
    RemovedAlready{Query::VolumeRemove, Family::Docker, {"force", "true"}, 204, ""},
};

Decision absent(Exchange& exchange, const Deny& deny) {
  const auto& endpoint = *exchange.match.endpoint;
  const auto row = std::ranges::find_if(removed_already, [&](const RemovedAlready& each) {
    return deny.rule->hidden && each.query == endpoint.query && each.family == endpoint.family;
  });
  if (row == removed_already.end()) return deny;
  const auto query = judge_query(endpoint.query, exchange);
  if (const auto* denied = std::get_if<Deny>(&query)) return *denied;
  const auto& pairs = std::get<JudgedQuery>(query).pairs;
  if (!contains(pairs, row->said)) return deny;
  return Reply{row->status, row->content.empty() ? "" : "application/json", std::string(row->content), {}};
}

Decision plain(Exchange& exchange) {
  const auto& endpoint = *exchange.match.endpoint;
  std::string id;
  if (endpoint.subject != Kind::None) {
    auto subject = subject_of(exchange);
    if (subject.denied) return absent(exchange, *subject.denied);
    if (!subject.fact) return Ask{};  // nothing behind the path is judged for an object that may be foreign
    id = upstream_word(endpoint, *subject.fact);
  }
  auto query = judge_query(endpoint.query, exchange);
  if (const auto* deny = std::get_if<Deny>(&query)) return *deny;
  Forward forward;
  forward.request.method = endpoint.method;
  forward.request.target = write_target(upstream_path(exchange, id), std::get<JudgedQuery>(query).pairs);
  if (endpoint.body == Body::None || endpoint.body == Body::Stream) {
    if (endpoint.body == Body::Stream) forward.request.fields.push_back({"Content-Type", "application/x-tar"});
    note_uses(exchange, nullptr, forward);
    return forward;
  }
  const auto& content = exchange.request.content;
  if (!content || !content->members())
    return Deny{refusal("content.missing"), shown_path(exchange.request.target), Kind::None};
  auto body = judge_body(endpoint.body, *content, exchange);
  if (const auto* deny = std::get_if<Deny>(&body)) return *deny;
  auto& judged = std::get<JudgedBody>(body);
  forward.sources = std::move(judged.sources);
  forward.workspace_volumes = std::move(judged.workspace_volumes);
  forward.volumes = std::move(judged.volumes);
  forward.networks = std::move(judged.networks);
  note_uses(exchange, &judged.content, forward);
  if (exchange.facts.complete()) forward.request.content = json::write(judged.content);  // else it is not sent yet
  forward.request.fields.push_back({"Content-Type", "application/json"});
  return forward;
}

Decision exists(Exchange& exchange) {
  auto query = judge_query(exchange.match.endpoint->query, exchange);
  if (const auto* deny = std::get_if<Deny>(&query)) return *deny;
  auto subject = subject_of(exchange);
  if (subject.denied) return *subject.denied;
  return Reply{204, "", "", {}};
}

}  // namespace podfence::rules::act
