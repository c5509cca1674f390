#include "rules/quota.hpp"

#include <algorithm>
#include <array>

#include "rules/contains.hpp"
#include "rules/quota_count.hpp"
#include "rules/sizes.hpp"

namespace podfence::rules {

namespace {

struct Creation {
  Body body;
  Resource resource;
};
constexpr auto creations = std::to_array<Creation>({
    {Body::ContainerCreateCompat, Resource::Containers},
    {Body::ContainerCreateLibpod, Resource::Containers},
    {Body::PodCreate, Resource::Pods},
    {Body::VolumeCreateCompat, Resource::Volumes},
    {Body::VolumeCreateLibpod, Resource::Volumes},
    {Body::NetworkCreateCompat, Resource::Networks},
    {Body::NetworkCreateLibpod, Resource::Networks},
    {Body::SecretCreate, Resource::Secrets},
    {Body::Secret, Resource::Secrets},
    {Body::ExecCreateCompat, Resource::Execs},
    {Body::ExecCreateLibpod, Resource::Execs},
});
constexpr auto updates = std::to_array({Body::ContainerUpdateCompat, Body::ContainerUpdateLibpod});

// Requests that stay open for as long as the client likes.
constexpr auto stream_answers = std::to_array({Answer::Hijack, Answer::EventLines, Answer::StatsLines});
constexpr auto stream_queries = std::to_array(
    {Query::ContainerLogs, Query::ContainerStats, Query::ContainerWaitCompat, Query::ContainerWaitLibpod, Query::Top});
constexpr auto build_paths = std::to_array<std::string_view>({"/build", "/libpod/build"});

/// What to do about a quota that is used up, besides asking the operator to raise it.
struct WayOut {
  Resource resource;
  std::string_view text;
};
constexpr auto ways_out = std::to_array<WayOut>({
    {Resource::Execs, "let some end or restart their containers"},
    {Resource::Streams, "end some open attach, exec, logs, events, stats, top or wait requests"},
    {Resource::Builds, "let some end"},
    {Resource::Memory, "ask for less, or remove containers"},
    {Resource::Cpus, "ask for less, or remove containers"},
});

bool is_update(const Endpoint& endpoint) { return contains(updates, endpoint.body); }

/// What the content adds to the limits of all containers: of an update by how much they grow. A pod's own limits give
/// nothing, they only keep its containers in.
Sizes sizes_added(Exchange& exchange, Body body, const json::Value& content) {
  const auto& policy = exchange.project.policy;
  if ((!policy.quota(Resource::Memory) && !policy.quota(Resource::Cpus)) || body == Body::PodCreate) return {};
  if (!contains(updates, body)) return SizeFields(content).sizes();
  const auto* container = exchange.facts.find(Kind::Container, exchange.match.name, true);
  if (!container) return {};
  SizeFields fields(container->document);
  const auto before = fields.sizes();
  fields.read(content);
  const auto after = fields.sizes();
  return {std::max<std::int64_t>(0, after.memory - before.memory), std::max<std::int64_t>(0, after.cpus - before.cpus)};
}

Deny over(Resource resource, std::int64_t used, std::int64_t amount, std::int64_t quota) {
  const auto& row = resource_rows[static_cast<std::size_t>(resource)];
  const auto text = [&](std::int64_t number) { return amount_text(row.unit, number); };
  auto subject = text(used) + " of " + text(quota) + " " + std::string(row.key);
  if (amount != 1) subject += ", and the request adds " + text(amount);
  const auto* const own = std::ranges::find(ways_out, resource, &WayOut::resource);
  const std::string_view what = own == ways_out.end() ? "remove some" : own->text;
  const auto key = "quota." + std::string(row.key);
  return {refusal("quota.exceeded"), std::move(subject), Kind::None, std::string(what), key};
}

/// One for each resource, so that it is compared as a whole.
void add_use(const Exchange& exchange, std::vector<Use>& uses, Resource resource, std::int64_t amount) {
  if (amount <= 0 || !exchange.project.policy.quota(resource)) return;
  const auto known = std::ranges::find(uses, resource, &Use::resource);
  if (known == uses.end())
    uses.push_back({resource, amount});
  else
    known->amount = sum_of(known->amount, amount);
}

std::optional<Resource> made_by(Body body) {
  const auto* const creation = std::ranges::find(creations, body, &Creation::body);
  return creation == creations.end() ? std::nullopt : std::optional(creation->resource);
}

/// What the content adds besides the object itself.
void note_content(Exchange& exchange, Body body, const json::Value& content, std::vector<Use>& uses) {
  // A pod has a container of its own, which holds its namespaces.
  if (body == Body::PodCreate && !content.find("no_infra")) add_use(exchange, uses, Resource::Containers, 1);
  const auto sizes = sizes_added(exchange, body, content);
  add_use(exchange, uses, Resource::Memory, sizes.memory);
  add_use(exchange, uses, Resource::Cpus, sizes.cpus);
}

void note_needs(const Exchange& exchange, const Needs& needs, std::vector<Use>& uses) {
  add_use(exchange, uses, Resource::Volumes, static_cast<std::int64_t>(needs.volumes.size()));
  add_use(exchange, uses, Resource::Networks, static_cast<std::int64_t>(needs.networks.size()));
}

std::optional<Deny> check(Exchange& exchange, const Use& use) {
  const auto& [resource, amount] = use;
  const auto& project = exchange.project;
  auto& usage = exchange.facts.usage();
  const auto quota = *project.policy.quota(resource);
  const auto bound = usage.bound(project.id, resource);
  if (bound && fits(*bound, amount, quota)) return std::nullopt;
  const auto count = count_of(exchange, resource, quota);
  if (!count) return std::nullopt;
  if (lasts(resource)) usage.counted(project.id, resource, *count);
  if (fits(*count, amount, quota)) return std::nullopt;
  return over(resource, *count, amount, quota);
}

}  // namespace

std::optional<Resource> resource_of(const Endpoint& endpoint) {
  if (const auto resource = made_by(endpoint.body)) return resource;
  if (endpoint.answer == Answer::PullLines || endpoint.answer == Answer::MadeImage ||
      endpoint.act == Act::ManifestCreate)
    return Resource::Images;
  if (contains(stream_answers, endpoint.answer) || contains(stream_queries, endpoint.query)) return Resource::Streams;
  if (contains(build_paths, endpoint.path)) return Resource::Builds;
  return std::nullopt;
}

bool takes_turn(const Endpoint& endpoint) {
  const auto resource = resource_of(endpoint);
  return is_update(endpoint) || endpoint.act == Act::KubePlay || (resource && lasts(*resource));
}

void note_uses(Exchange& exchange, const json::Value* content, Forward& forward) {
  const auto& endpoint = *exchange.match.endpoint;
  if (const auto resource = resource_of(endpoint)) add_use(exchange, forward.uses, *resource, 1);
  note_needs(exchange, forward, forward.uses);
  if (content) note_content(exchange, endpoint.body, *content, forward.uses);
}

void note_creation(Exchange& exchange, Body body, const json::Value& content, std::vector<Use>& uses) {
  if (const auto resource = made_by(body)) add_use(exchange, uses, *resource, 1);
  note_content(exchange, body, content, uses);
}

void note_batch_uses(Exchange& exchange, Batch& batch) { note_needs(exchange, batch.needs, batch.uses); }

std::optional<Deny> check_quotas(Exchange& exchange, const std::vector<Use>& uses) {
  for (const auto& use : uses)
    if (auto deny = check(exchange, use)) return deny;
  // An update changes what is remembered of its container.
  if (is_update(*exchange.match.endpoint))
    if (const auto* container = exchange.facts.find(Kind::Container, exchange.match.name))
      exchange.facts.usage().containers(exchange.project.id).erase(container->id);
  return std::nullopt;
}

}  // namespace podfence::rules
