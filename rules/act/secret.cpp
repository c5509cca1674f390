// Secrets: created under names that are free or the project's own, shown to their project, removed when no container
// reads them any more. Values pass through and are kept nowhere.

#include "rules/secret.hpp"

#include <algorithm>

#include "rules/act/act.hpp"
#include "rules/ascii.hpp"
#include "rules/body/checks.hpp"
#include "rules/contains.hpp"
#include "rules/json_path.hpp"
#include "rules/made_object.hpp"
#include "rules/names.hpp"
#include "rules/out_of_bounds.hpp"
#include "rules/quota.hpp"

namespace podfence::rules::act {

namespace {

constexpr std::string_view secrets = "/v4.0.0/libpod/secrets/";
constexpr std::size_t largest_secret = 512'000 - 1;  // c/common: less than that

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

/// The object, when the name is its own and not the beginning of its id.
const Fact* holder_of(Exchange& exchange, const std::string& name) {
  const auto* fact = exchange.facts.find(Kind::Secret, name);
  if (!fact) return nullptr;
  const auto words = upstream_words(exchange.project, Kind::Secret, name);
  return contains(words, secret_name(fact->document)) ? fact : nullptr;
}

std::optional<Deny> check_unused(Exchange& exchange, std::string_view name, const std::string& word) {
  const auto* containers = exchange.facts.list(Kind::Container);
  if (!containers || std::ranges::none_of(*containers, [&](const json::Value& each) {
        return has_in_environment(exchange.project, each, name);
      }))
    return std::nullopt;
  return Deny{refusal("secret.in-use"), word, Kind::None};
}

Batch::Item removal_of(const Fact& secret, std::string name) {
  UpstreamRequest request{Method::Delete, std::string(secrets) + secret.id, {}, std::nullopt};
  return {std::move(request), std::move(name), {{Claim::Change::DropSecret, secret.id}}};
}

/// `made`: its name upstream.
Batch::Item creation_of(const std::string& name, const std::string& made, const json::Value& labels,
                        const std::string& value) {
  const std::vector<QueryPair> pairs{
      {"name", made}, {"driver", std::string(secret_driver_name)}, {"labels", json::write(labels)}};
  UpstreamRequest request{Method::Post,
                          write_target(std::string(secrets) + "create", pairs),
                          {{"Content-Type", "application/octet-stream"}},
                          value,
                          {""}};
  Batch::Item item{std::move(request), "secret/" + name, {{Claim::Change::HoldSecret, std::string(made_id_mark)}}};
  item.undo = UpstreamRequest{Method::Delete, std::string(secrets).append(made_id_mark), {}, std::nullopt};
  item.on_undo = {{Claim::Change::DropSecret, std::string(made_id_mark)}};
  return item;
}

/// Of an own secret, as Podman does without being told to. What is immutable stays.
std::optional<Deny> add_replaced(Exchange& exchange, const Fact& holder, const std::string& name, Batch& batch) {
  if (holder.ownership != Ownership::Own) return Deny{refusal("name.taken"), name, Kind::Secret};
  const auto* labels = json::at(holder.document, "Spec.Labels");
  if (labels && labels->find(immutable_secret_label(exchange.project)))
    return Deny{refusal("kube.immutable"), name, Kind::None};
  if (auto deny = check_unused(exchange, secret_name(holder.document), name)) return deny;
  batch.items.push_back(removal_of(holder, "left/" + name));
  return std::nullopt;
}

/// Docker's create may come without one.
bool has_value(std::string_view content) {
  const auto parsed = json::parse(content);
  const auto* document = std::get_if<json::Value>(&parsed);
  return !document || document->find("Data") != nullptr;
}

}  // namespace

std::optional<Deny> add_secret(Exchange& exchange, const kube::KeptSecret& secret, Batch& batch) {
  if (secret.value.size() > largest_secret)
    return out_of_bounds("Secret " + secret.name, std::to_string(secret.value.size()) + " bytes", "most",
                         std::to_string(largest_secret) + " bytes");
  json::Value holder;
  holder.set("labels", secret.labels);
  if (auto deny = add_project_label(holder, "labels", exchange.project)) return deny;
  if (secret.immutable) holder.find("labels")->set(immutable_secret_label(exchange.project), "true");
  if (const auto* there = holder_of(exchange, secret.name)) {
    if (auto deny = add_replaced(exchange, *there, secret.name, batch)) return deny;
  } else {
    note_creation(exchange, Body::Secret, json::Value::object(), batch.uses);
  }
  const auto made = name_for_new(exchange, Kind::Secret, secret.name);
  batch.items.push_back(creation_of(secret.name, made, *holder.find("labels"), secret.value));
  return std::nullopt;
}

/// Podman 4.7 and later replace a secret whoever made it, so the name is looked at first, under its lock.
Decision secret_create(Exchange& exchange) {
  const bool docker = exchange.match.endpoint->family == Family::Docker;
  auto decision = docker ? plain(exchange) : create_libpod(exchange);
  auto* forward = std::get_if<Forward>(&decision);
  if (!forward) return decision;
  if (!docker) forward->request.confidential = {""};
  const auto& content = forward->request.content;  // none while something is asked
  if (docker && content && has_value(*content)) forward->request.confidential = {"/Data"};
  const auto name = asked_name(exchange);
  if (name.empty()) return Deny{refusal("name.syntax"), name, Kind::Secret};
  if (const auto* holder = holder_of(exchange, name)) {
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
  if (exchange.project.policy.read_only && contains(pairs, QueryPair{"showsecret", "true"}))
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
  if (auto deny = check_unused(exchange, name, exchange.match.name)) return *std::move(deny);
  return Batch{{removal_of(*found, name)}};
}

}  // namespace podfence::rules::act
