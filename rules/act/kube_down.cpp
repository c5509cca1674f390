// `podman kube down`: the pods that the YAML names are stopped and removed by their ids, and with them the volumes that
// were made for them. Those that somebody claimed are kept, unless the client forces it; secrets are kept as well, as
// by Podman 4.3.

#include "rules/act/act.hpp"
#include "rules/body/name.hpp"
#include "rules/decide.hpp"
#include "rules/kube/pod.hpp"
#include "rules/object_claim.hpp"

namespace podfence::rules::act {

namespace {

constexpr std::string_view pods = "/v4.0.0/libpod/pods/";

void add(Batch& batch, std::string name, UpstreamRequest request) {
  batch.items.push_back({std::move(request), std::move(name), {}, false, {}, {}, true});
}

class Down {
 public:
  explicit Down(Exchange& exchange) : exchange_(exchange) { batch_.together = true; }

  Decision run(const kube::Names& names) {
    for (const auto& pod : names.pods)
      if (!asks_too_much()) add_pod(pod);
    if (is_said(exchange_, "force", false))
      for (const auto& claim : names.claims) add_volume(claim);
    if (!exchange_.facts.complete()) return Ask{};
    // As in Podman: there is nothing to take down.
    if (found_ == 0 && !names.pods.empty()) return hidden(Kind::Pod, names.pods.front().name);
    return std::move(batch_);
  }

 private:
  /// More than one request may ask about: it is refused for that, and the rest need not be looked at.
  bool asks_too_much() const { return exchange_.facts.open() > max_references; }

  void add_pod(const kube::Names::Pod& pod) {
    const auto* fact = exchange_.facts.find(Kind::Pod, pod.name);
    if (fact && fact->ownership == Ownership::Own) {
      ++found_;
      const auto path = std::string(pods) + encode(fact->id);
      add(batch_, "stopped/" + fact->id, {Method::Post, path + "/stop", {}, std::nullopt});
      add(batch_, "removed/" + fact->id, {Method::Delete, path + "?force=true", {}, std::nullopt});
    }
    for (const auto& volume : pod.volumes) {
      if (asks_too_much()) return;
      for (const auto& name : kube::own_volumes(pod.name, volume))
        if (is_name(name)) add_volume(name);
    }
  }

  void add_volume(const std::string& name) {
    const auto* fact = exchange_.facts.find(Kind::Volume, name);
    if (fact && fact->ownership == Ownership::Own) add(batch_, "volume/" + name, unclaim_volume(fact->id));
  }

  Exchange& exchange_;
  Batch batch_;
  std::size_t found_ = 0;
};

}  // namespace

Decision kube_down(Exchange& exchange) {
  auto query = judge_query(exchange.match.endpoint->query, exchange);
  if (auto* deny = std::get_if<Deny>(&query)) return std::move(*deny);
  auto names = kube::read_names(exchange.request);
  if (auto* deny = std::get_if<Deny>(&names)) return std::move(*deny);
  return Down(exchange).run(std::get<kube::Names>(names));
}

}  // namespace podfence::rules::act
