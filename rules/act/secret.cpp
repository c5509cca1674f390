// Secrets: created under names that are free or the project's own, shown to their project, removed when no container
// reads them any more. Values pass through and are kept nowhere.

#include "rules/secret.hpp"

#include <algorithm>

#include "rules/act/act.hpp"
#include "rules/ascii.hpp"
#include "rules/body/checks.hpp"
#include "rules/quota.hpp"

namespace podfence::rules::act {

namespace {

/// The label parameter of libpod, with the project's own.
std::variant<std::string, Deny> asked_labels(const Exchange& exchange) {
  const Deny bad{refusal("query.value"), "labels", Kind::None};
  const auto text = value_of(exchange.request.target, "labels");
  auto parsed = json::parse(text.empty() ? "{}" : text);
  auto* labels = std::get_if<json::Value>(&parsed);
  if (labels && labels->is_null()) *labels = json::Value::object();
  if (!labels || !labels->members()) return bad;
  for (const auto& label : *labels->members()) {
    if (!label.value.string()) return bad;
    if (auto deny = check_label(label.name, *label.value.string(), exchange.project)) return *std::move(deny);
  }
  json::Value holder = json::Value::object();
  holder.set("labels", std::move(*labels));
  if (auto deny = add_project_label(holder, "labels", exchange.project)) return *std::move(deny);
  return json::write(*holder.find("labels"));
}

/// podman --remote sends the default driver and empty options.
std::optional<Deny> check_driver(const Target& target) {
  const auto driver = value_of(target, "driver"), options = value_of(target, "driveropts");
  if (!driver.empty() && driver != secret_driver_name) return Deny{refusal("secret.driver"), driver, Kind::None};
  if (!options.empty() && options != "{}" && options != "null")
    return Deny{refusal("secret.driver"), "driveropts", Kind::None};
  return std::nullopt;
}

Decision create_libpod(Exchange& exchange) {
  auto query = judge_query(exchange.match.endpoint->query, exchange);
  if (const auto* deny = std::get_if<Deny>(&query)) return *deny;
  if (auto deny = check_driver(exchange.request.target)) return *std::move(deny);
  auto labels = asked_labels(exchange);
  if (const auto* deny = std::get_if<Deny>(&labels)) return *deny;
  auto& pairs = std::get<JudgedQuery>(query).pairs;
  pairs.push_back({"driver", std::string(secret_driver_name)});
  pairs.push_back({"labels", std::get<std::string>(std::move(labels))});
  Forward forward;
  forward.request.method = Method::Post;
  forward.request.target = write_target(upstream_path(exchange, ""), pairs);
  // As a form it would be read away before the handler sees it.
  forward.request.fields.push_back({"Content-Type", "application/octet-stream"});
  forward.request.content = exchange.request.bytes.value_or("");
  note_uses(exchange, nullptr, forward);
  return forward;
}

std::string asked_name(const Exchange& exchange) {
  if (exchange.match.endpoint->family == Family::Libpod) return value_of(exchange.request.target, "name");
  for (const auto& member : *exchange.request.content->members())
    if (ascii::equal_caseless(member.name, "Name") && member.value.string()) return *member.value.string();
  return "";
}

/// What the engine no longer has. Ids are not used again, so nothing is lost by waiting until the list is asked for.
void drop_what_is_gone(Exchange& exchange, Forward& forward) {
  const auto* there = exchange.facts.count(Kind::Secret);
  if (!there) return;
  for (const auto& id : exchange.facts.ledger().secrets(exchange.project.id))
    if (std::ranges::none_of(*there, [&](const json::Value& each) { return each.text("ID") == id; }))
      forward.before.push_back({Claim::Change::DropSecret, id});
}

}  // namespace

/// Podman 4.7 and later replace a secret whoever made it, so the name is looked at first, under its lock.
Decision secret_create(Exchange& exchange) {
  const bool docker = exchange.match.endpoint->family == Family::Docker;
  auto decision = docker ? plain(exchange) : create_libpod(exchange);
  auto* forward = std::get_if<Forward>(&decision);
  if (!forward) return decision;
  const auto name = asked_name(exchange);
  if (name.empty()) return Deny{refusal("name.syntax"), name, Kind::Secret};
  const auto* holder = exchange.facts.find(Kind::Secret, name);
  // The beginning of an id may be a name.
  if (holder && secret_name(holder->document) == name) {
    if (holder->ownership != Ownership::Own) return Deny{refusal("name.taken"), name, Kind::Secret};
    forward->uses.clear();
  }
  drop_what_is_gone(exchange, *forward);
  return decision;
}

/// A project's containers can read its secrets, so who may run one is told the value as well. Who may only read cannot
/// run any.
Decision secret_inspect(Exchange& exchange) {
  auto query = judge_query(exchange.match.endpoint->query, exchange);
  if (const auto* deny = std::get_if<Deny>(&query)) return *deny;
  const auto& pairs = std::get<JudgedQuery>(query).pairs;
  if (exchange.project.policy.read_only && std::ranges::find(pairs, QueryPair{"showsecret", "true"}) != pairs.end())
    return Deny{refusal("secret.shown"), exchange.match.name, Kind::None};
  return plain(exchange);
}

Decision secret_remove(Exchange& exchange) {
  auto query = judge_query(exchange.match.endpoint->query, exchange);
  if (const auto* deny = std::get_if<Deny>(&query)) return *deny;
  if (exchange.match.name.empty()) return hidden(Kind::Secret, "");
  const auto* found = find_secret(exchange.facts, exchange.match.name);
  if (!found) return Ask{};
  if (found->ownership != Ownership::Own) return hidden(Kind::Secret, exchange.match.name);
  const std::string name(secret_name(found->document));
  const auto* containers = exchange.facts.list(Kind::Container);
  if (!containers) return Ask{};
  if (std::ranges::any_of(*containers,
                          [&](const json::Value& each) { return has_in_environment(exchange.project, each, name); }))
    return Deny{refusal("secret.in-use"), exchange.match.name, Kind::None};
  UpstreamRequest request{Method::Delete, "/v4.0.0/libpod/secrets/" + found->id, {}, std::nullopt};
  return Batch{{{std::move(request), name, {{Claim::Change::DropSecret, found->id}}}}};
}

}  // namespace podfence::rules::act
