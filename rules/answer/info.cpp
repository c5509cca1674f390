// What the engine says of itself: its counts become the project's own, its registries only those it searches.

#include <algorithm>

#include "rules/answer/rewrite.hpp"
#include "rules/image_name.hpp"

namespace podfence::rules::answer {

namespace {

struct Counts {
  std::int64_t containers = 0, running = 0, paused = 0, exited = 0, images = 0;
};

Counts count(Exchange& exchange) {
  Counts counts;
  const auto* containers = exchange.facts.list(Kind::Container);
  const auto* images = exchange.facts.list(Kind::Image);
  if (!containers || !images) return counts;
  const auto in_state = [&](std::string_view state) {
    return std::ranges::count_if(*containers, [&](const json::Value& each) { return each.text("State") == state; });
  };
  counts.containers = static_cast<std::int64_t>(containers->size());
  counts.running = in_state("running");
  counts.paused = in_state("paused");
  counts.exited = in_state("exited") + in_state("stopped");
  counts.images = std::ranges::count_if(*images, [&](const json::Value& image) {
    return image_ownership(exchange.project, exchange.facts.ledger(), image) != Ownership::Foreign;
  });
  return counts;
}

/// Docker's "stopped" are those that ran; libpod's are all that do not run (compat/info.go, libpod/info.go:storeInfo).
void set_docker_counts(json::Value& info, const Counts& counts) {
  info.set("Containers", json::Value::integer(counts.containers));
  info.set("ContainersRunning", json::Value::integer(counts.running));
  info.set("ContainersPaused", json::Value::integer(counts.paused));
  info.set("ContainersStopped", json::Value::integer(counts.exited));
  info.set("Images", json::Value::integer(counts.images));
}

void set_libpod_counts(json::Value& store, const Counts& counts) {
  if (auto* containers = store.find("containerStore")) {
    containers->set("number", json::Value::integer(counts.containers));
    containers->set("running", json::Value::integer(counts.running));
    containers->set("paused", json::Value::integer(counts.paused));
    containers->set("stopped", json::Value::integer(counts.containers - counts.running - counts.paused));
  }
  if (auto* images = store.find("imageStore")) images->set("number", json::Value::integer(counts.images));
}

}  // namespace

bool rewrite_info(Exchange& exchange, json::Value& document) {
  if (!document.members()) return false;
  const auto counts = count(exchange);
  if (exchange.match.endpoint->family == Family::Docker) {
    set_docker_counts(document, counts);
    return true;
  }
  if (auto* store = document.find("store"); store && store->members()) set_libpod_counts(*store, counts);
  if (auto* registries = document.find("registries"); registries && registries->members())
    std::erase_if(*registries->members(), [](const json::Member& member) { return member.name != "search"; });
  return true;
}

}  // namespace podfence::rules::answer
