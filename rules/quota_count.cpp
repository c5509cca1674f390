#include "rules/quota_count.hpp"

#include <string_view>
#include <vector>

#include "rules/sizes.hpp"

namespace podfence::rules {

namespace {

/// The sum of all own containers' limits.
std::optional<Sizes> sizes_there(Exchange& exchange) {
  auto& facts = exchange.facts;
  const auto* own = facts.count(Kind::Container);
  if (!own) return std::nullopt;
  auto& known = facts.usage().containers(exchange.project.id);
  Usage::Containers there;
  Sizes sum;
  bool complete = true;
  for (const auto& container : *own) {
    const auto id = container.text("Id");
    auto found = known.find(id);
    if (found == known.end()) {
      const auto* fact = facts.find(Kind::Container, id, true);
      complete = complete && fact;
      if (!fact) continue;
      found = known.emplace(id, SizeFields(fact->document).sizes()).first;
    }
    there.insert(*found);
    sum = {sum_of(sum.memory, found->second.memory), sum_of(sum.cpus, found->second.cpus)};
  }
  if (!complete) return std::nullopt;
  known = std::move(there);
  return sum;
}

std::optional<std::int64_t> sum_there(Exchange& exchange, std::int64_t Sizes::*part) {
  const auto sizes = sizes_there(exchange);
  if (!sizes) return std::nullopt;
  return (*sizes).*part;
}

/// The exec sessions of own containers, as Podman keeps them: those that have ended as well, for some minutes.
std::optional<std::vector<std::string_view>> sessions_there(Exchange& exchange) {
  auto& facts = exchange.facts;
  const auto* own = facts.count(Kind::Container);
  if (!own) return std::nullopt;
  std::vector<std::string_view> sessions;
  bool complete = true;
  for (const auto& container : *own) {
    const auto state = container.text("State");
    if (state == "created" || state == "exited" || state == "stopped") continue;
    const auto* fact = facts.find(Kind::Container, container.text("Id"), true);
    complete = complete && fact;
    if (!fact) continue;
    for (const auto& id : fact->document.list("ExecIDs"))
      if (id.string()) sessions.push_back(*id.string());
  }
  if (!complete) return std::nullopt;
  return sessions;
}

bool has_ended(const Fact& session) {
  return session.ownership != Ownership::Own || session.document.flag("CanRemove");
}

/// Each session is looked at only where their number alone is too large.
std::optional<std::int64_t> execs_there(Exchange& exchange, std::int64_t quota) {
  const auto sessions = sessions_there(exchange);
  if (!sessions) return std::nullopt;
  auto count = static_cast<std::int64_t>(sessions->size());
  if (count < quota) return count;
  bool complete = true;
  for (const auto id : *sessions) {
    const auto* session = exchange.facts.find(Kind::Exec, id);
    complete = complete && session;
    if (session && has_ended(*session)) --count;
  }
  if (!complete) return std::nullopt;
  return count;
}

std::optional<std::int64_t> number_of(Exchange& exchange, Kind kind) {
  const auto* own = exchange.facts.count(kind);
  if (!own) return std::nullopt;
  return static_cast<std::int64_t>(own->size());
}

}  // namespace

std::optional<std::int64_t> count_of(Exchange& exchange, Resource resource, std::int64_t quota) {
  const auto& project = exchange.project.id;
  const auto running = exchange.facts.usage().running(project, resource);
  switch (resource) {
    case Resource::Containers:
      return number_of(exchange, Kind::Container);
    case Resource::Pods:
      return number_of(exchange, Kind::Pod);
    case Resource::Volumes:
      return number_of(exchange, Kind::Volume);
    case Resource::Networks:
      return number_of(exchange, Kind::Network);
    case Resource::Secrets:
      return number_of(exchange, Kind::Secret);
    case Resource::Images:
      return exchange.facts.ledger().images(project) + running;
    case Resource::Execs:
      return execs_there(exchange, quota);
    case Resource::Streams:
    case Resource::Builds:
      return running;
    case Resource::Memory:
    case Resource::Cpus:
      return sum_there(exchange, resource == Resource::Memory ? &Sizes::memory : &Sizes::cpus);
  }
  return std::nullopt;
}

}  // namespace podfence::rules
