// Prunes. Podman's own ignore filters, join them by OR, or take them from a form body (endpoints.md section 4), and
// some act on everybody. So: list what is the project's own and unused, and remove each by its id.

#include <algorithm>
#include <unordered_set>

#include "rules/act/act.hpp"
#include "rules/filter_text.hpp"
#include "rules/image_name.hpp"
#include "rules/shown_path.hpp"

namespace podfence::rules::act {

namespace {

/// The client's filters as judge_query wrote them: our label is among them where the endpoint takes labels.
Filters filters_of(const JudgedQuery& query) {
  const auto pair = std::ranges::find(query.pairs, "filters", &QueryPair::name);
  if (pair == query.pairs.end()) return {};
  auto filters = read_filters(pair->value);
  return std::get<Filters>(std::move(filters));
}

std::string single_filter(std::string_view name, std::string_view value) {
  return write_filters({Encoding::Lists, {{std::string(name), {std::string(value)}}}});
}

/// Containers, pods and networks: upstream joins these filters by AND, so one list has all of them.
const json::Array* filtered(Exchange& exchange, Kind kind, Filters filters, Filter state) {
  add_own_label(filters, exchange.project);
  filters.filters.push_back(std::move(state));
  return exchange.facts.list(kind, write_filters(filters));
}

void add(Batch& batch, std::string_view collection, std::string_view id) {
  batch.items.push_back(
      {{Method::Delete, "/v4.0.0/libpod/" + std::string(collection) + "/" + encode(id), {}, std::nullopt},
       std::string(id),
       {},
       false});
}

Batch prune_listed(Exchange& exchange, Kind kind, const JudgedQuery& query, Filter state) {
  Batch batch;
  const auto* items = filtered(exchange, kind, filters_of(query), std::move(state));
  if (!items) return batch;
  for (const auto& item : *items) switch (kind) {
      case Kind::Container:  // a pod's members go with their pod (libpod: Runtime.PruneContainers)
        if (item.text("Pod").empty()) add(batch, "containers", item.text("Id"));
        break;
      case Kind::Pod:
        add(batch, "pods", item.text("Id"));
        break;
      case Kind::Network:
        add(batch, "networks", item.text("name"));
        break;
      case Kind::None:
      case Kind::Volume:
      case Kind::Image:
      case Kind::Exec:
      case Kind::Secret:
      case Kind::Manifest:
        break;
    }
  return batch;
}

/// Volumes and images: 4.3 joins every value of every filter by OR, 5.x joins the keys so. One list per value, and what
/// stands in all of them, is AND on every engine.
class InEveryList {
 public:
  InEveryList(Exchange& exchange, Kind kind, const Filters& filters) : identity_(kind == Kind::Volume ? "Name" : "Id") {
    for (const auto& filter : filters.filters)
      for (const auto& value : filter.values) add(exchange.facts.list(kind, single_filter(filter.name, value)));
  }
  bool known() const { return known_; }
  bool operator()(const json::Value& object) const {
    const auto identity = object.text(identity_);
    return std::ranges::all_of(lists_, [&](const auto& list) { return list.contains(identity); });
  }

 private:
  void add(const json::Array* list) {
    known_ = known_ && list;
    auto& identities = lists_.emplace_back();
    if (list)
      for (const auto& item : *list) identities.insert(item.text(identity_));
  }

  std::string_view identity_;
  std::vector<std::unordered_set<std::string_view>> lists_;  ///< of texts that the facts hold
  bool known_ = true;
};

Batch prune_volumes(Exchange& exchange, const JudgedQuery& query) {
  Batch batch;
  auto filters = filters_of(query);
  std::erase_if(filters.filters,
                [](const Filter& filter) { return filter.name == "all"; });  // every unused one goes anyway
  // Without our label: anonymous volumes carry none. Facts keep what is own.
  const auto* own = exchange.facts.list(Kind::Volume, single_filter("dangling", "true"));
  const InEveryList wanted(exchange, Kind::Volume, filters);
  if (!own || !wanted.known()) return batch;
  for (const auto& volume : *own) {
    if (!wanted(volume)) continue;
    // Asked by its exact name so that the lock on the name is held: Podman's remove would take a prefix of another.
    const auto* fact = exchange.facts.find_upstream(Kind::Volume, volume.text("Name"));
    if (fact && fact->ownership == Ownership::Own) add(batch, "volumes", volume.text("Name"));
  }
  return batch;
}

bool says_false(const std::vector<std::string>& values) {
  return std::ranges::any_of(values, [](const std::string& value) { return value == "false" || value == "0"; });
}

/// Images: the project's own, shared with nobody, and unused (Podman answers 409 for those in use, and they stay).
Batch prune_images(Exchange& exchange, const JudgedQuery& query) {
  Batch batch;
  auto filters = filters_of(query);
  bool all = std::ranges::any_of(query.pairs,
                                 [](const QueryPair& pair) { return pair.name == "all" && pair.value == "true"; });
  if (const auto* dangling = filters.values_of("dangling")) all = says_false(*dangling);
  std::erase_if(filters.filters, [](const Filter& filter) { return filter.name == "dangling"; });
  const auto* images = exchange.facts.list(Kind::Image);
  const InEveryList wanted(exchange, Kind::Image, filters);
  if (!images || !wanted.known()) return batch;
  for (const auto& image : *images) {
    if (image_ownership(exchange.project, exchange.facts.ledger(), image) != Ownership::Own || !wanted(image)) continue;
    // Others' names are none to this project.
    if (all || own_tags(exchange, image).empty()) remove_image(exchange, image, "", batch);
  }
  return batch;
}

}  // namespace

Decision prune(Exchange& exchange) {
  auto query = judge_query(exchange.match.endpoint->query, exchange);
  if (const auto* deny = std::get_if<Deny>(&query)) return *deny;
  const auto& judged = std::get<JudgedQuery>(query);
  if (judged.nothing) return Batch{};
  switch (exchange.match.endpoint->query) {
    case Query::ContainerPrune:
      return prune_listed(exchange, Kind::Container, judged,
                          {"status", {"created", "initialized", "stopped", "exited"}});
    case Query::PodPrune:
      return prune_listed(exchange, Kind::Pod, judged, {"status", {"exited", "stopped"}});
    case Query::NetworkPrune:
      return prune_listed(exchange, Kind::Network, judged, {"dangling", {"true"}});
    case Query::VolumePrune:
      return prune_volumes(exchange, judged);
    case Query::ImagePrune:
      return prune_images(exchange, judged);
    default:
      return Deny{refusal("endpoint.global"), shown_path(exchange.request.target), Kind::None};
  }
}

}  // namespace podfence::rules::act
