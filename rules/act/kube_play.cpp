// `podman kube play`. Podman's own endpoint is not used: it puts ConfigMaps into files of the host, by paths that the
// client chooses and through links that a container has left in a volume; it gives an emptyDir a name that everybody
// shares, and pods a network that everybody is on; and most limits of a policy cannot be said in YAML. So a pod is made
// of the requests that a client would send who knew no YAML, and each is judged like that client's.

#include <algorithm>
#include <map>
#include <set>

#include "rules/act/act.hpp"
#include "rules/container/settle.hpp"
#include "rules/image_name.hpp"
#include "rules/json_pointer.hpp"
#include "rules/kube/pod.hpp"
#include "rules/made_object.hpp"
#include "rules/object_claim.hpp"
#include "rules/quota.hpp"
#include "rules/tar.hpp"

namespace podfence::rules::act {

namespace {

constexpr std::string_view api = "/v4.0.0/libpod/";

UpstreamRequest request(Method method, std::string_view path) {
  return {method, std::string(api).append(path), {}, std::nullopt};
}

UpstreamRequest create(std::string_view collection, const json::Value& content) {
  return {Method::Post,
          std::string(api).append(collection) + "/create",
          {{"Content-Type", "application/json"}},
          json::write(content)};
}

kube::Options options_of(const Exchange& exchange) {
  const auto& target = exchange.request.target;
  kube::Options options;
  options.networks = values_of(target, "network");
  std::erase(options.networks, "");
  options.addresses = values_of(target, "staticIPs");
  options.hardware_addresses = values_of(target, "staticMACs");
  options.user_namespace = value_of(target, "userns");
  options.log_driver = value_of(target, "logDriver");
  options.log_options = values_of(target, "logOptions");
  options.no_hosts = is_said(exchange, "noHosts", false);
  options.no_hostname = is_said(exchange, "noHostname", false);
  options.publish_all = is_said(exchange, "publishAllPorts", false);
  return options;
}

/// Says of which container or pod of the YAML a refusal is.
Deny in(std::string_view where, Deny deny) {
  if (!deny.rule->hidden) deny.subject.append(" (").append(where).append(")");
  return deny;
}

class Play {
 public:
  explicit Play(Exchange& exchange) : exchange_(exchange) { batch_.together = true; }

  Decision run() {
    auto query = judge_query(exchange_.match.endpoint->query, exchange_);
    if (auto* deny = std::get_if<Deny>(&query)) return std::move(*deny);
    auto upload = kube::read_upload(exchange_);
    if (auto* deny = std::get_if<Deny>(&upload)) return std::move(*deny);
    if (auto deny = add_all(std::get<kube::Upload>(upload))) return *std::move(deny);
    if (!exchange_.facts.complete()) return Ask{};
    if (fetch_) return *std::move(fetch_);
    return std::move(batch_);
  }

 private:
  std::optional<Deny> add_all(const kube::Upload& upload) {
    for (const auto& claim : upload.claims)
      if (auto deny = add_claim(claim)) return deny;
    const auto options = options_of(exchange_);
    kube::Extent extent;
    for (std::size_t i = 0; i < upload.pods.size(); ++i) {
      auto pod = kube::make_pod(upload.pods[i], upload, options, i, extent);
      if (auto* deny = std::get_if<Deny>(&pod)) return in(upload.pods[i].name, std::move(*deny));
      if (auto deny = add_pod(std::get<kube::Pod>(pod))) return deny;
    }
    // The last: what was there under the name is gone then, and cannot be brought back.
    for (const auto& secret : upload.kept_secrets)
      if (auto deny = add_secret(exchange_, secret, batch_)) return deny;
    note_batch_uses(exchange_, batch_);
    return std::nullopt;
  }

  void add(std::string name, UpstreamRequest sent, std::optional<std::size_t> about = {},
           std::optional<UpstreamRequest> undo = {}, bool may_fail = false) {
    batch_.items.push_back({std::move(sent), std::move(name), {}, false, about, std::move(undo), may_fail});
  }

  /// Of a volume that the YAML makes. It is looked up by its name, so that the name is locked.
  const Fact& volume_called(const std::string& name) {
    static const Fact absent;
    const auto* fact = exchange_.facts.find(Kind::Volume, name);
    return fact ? *fact : absent;
  }

  void make_volume(const std::string& name, const json::Value& content, std::string_view what) {
    const std::string made(content.text("Name"));  // upstream's name for it
    add(std::string(what) + "/" + name, create("volumes", content), {}, unclaim_volume(made));
    made_here_.insert(made);
    note_creation(exchange_, Body::VolumeCreateLibpod, content, batch_.uses);
  }

  /// One that is there is the project's, and kept as it is.
  std::optional<Deny> add_claim(const kube::VolumeClaim& claim) {
    json::Value content;
    content.set("Name", claim.name);
    content.set("Labels", claim.labels);
    auto judged = judge_body(Body::VolumeCreateLibpod, content, exchange_);
    if (auto* deny = std::get_if<Deny>(&judged)) return std::move(*deny);
    const auto owner = volume_called(claim.name).ownership;
    if (owner == Ownership::Foreign) return Deny{refusal("name.taken"), claim.name, Kind::Volume};
    if (owner == Ownership::Missing) make_volume(claim.name, std::get<JudgedBody>(judged).content, "volume");
    return std::nullopt;
  }

  /// Fresh for every play: what an earlier one left is taken away first, if nothing mounts it.
  std::optional<Deny> add_own_volume(const std::string& name) {
    json::Value content;
    content.set("Name", name);
    auto judged = judge_body(Body::VolumeCreateLibpod, content, exchange_);
    if (auto* deny = std::get_if<Deny>(&judged)) return std::move(*deny);
    const auto& made = std::get<JudgedBody>(judged).content;
    const auto& there = volume_called(name);
    if (there.ownership == Ownership::Foreign || made_here_.contains(std::string(made.text("Name"))))
      return Deny{refusal("name.taken"), name, Kind::Volume};
    if (there.ownership == Ownership::Own) add("left/" + name, unclaim_volume(there.id));
    make_volume(name, made, "own");
    return std::nullopt;
  }

  std::optional<Deny> add_pod(const kube::Pod& pod) {
    if (is_said(exchange_, "replace", false)) add_replaced(pod.name);
    auto judged = judge_body(Body::PodCreate, pod.content, exchange_);
    if (auto* deny = std::get_if<Deny>(&judged)) return in(pod.name, std::move(*deny));
    auto& body = std::get<JudgedBody>(judged);
    take_needs(body);
    note_creation(exchange_, Body::PodCreate, body.content, batch_.uses);
    const auto place = batch_.items.size();
    const std::string made = "pods/" + std::string(made_id_mark);
    add("pod/" + pod.name, create("pods", body.content), {}, request(Method::Delete, made + "?force=true"));
    for (const auto& name : pod.volumes)  // first the pod: when its name is in use, nothing else is touched
      if (auto deny = add_own_volume(name)) return in(pod.name, *std::move(deny));
    std::vector<std::size_t> containers;
    for (const auto& container : pod.containers) {
      containers.push_back(batch_.items.size());
      if (auto deny = add_container(container, place)) return in(pod.name + "-" + container.name, *std::move(deny));
    }
    for (const auto& files : pod.files) add_files(files, containers[files.container]);
    if (is_said(exchange_, "start", true))
      add("start/" + pod.name, request(Method::Post, made + "/start"), place, {}, true);
    return std::nullopt;
  }

  void add_replaced(const std::string& name) {
    const auto* fact = exchange_.facts.find(Kind::Pod, name);
    if (fact && fact->ownership == Ownership::Own)
      add("replaced/" + name, request(Method::Delete, "pods/" + encode(fact->id) + "?force=true"));
  }

  /// Its namespaces are the pod's, whose id is not known yet: it is judged as one that has no network of its own.
  std::optional<Deny> add_container(const kube::Container& container, std::size_t pod) {
    if (auto deny = check_image(container)) return deny;
    if (fetch_) return std::nullopt;  // judged when it is here
    json::Value content = container.content;
    content.set("netns", std::get<json::Value>(json::parse(R"({"nsmode":"none"})")));
    auto judged = judge_body(Body::ContainerCreateLibpod, content, exchange_);
    if (auto* deny = std::get_if<Deny>(&judged)) return std::move(*deny);
    auto& body = std::get<JudgedBody>(judged);
    for (const auto* member : {"netns", "userns"}) body.content.erase(member);
    take_needs(body);
    note_creation(exchange_, Body::ContainerCreateLibpod, body.content, batch_.uses);
    const auto name = std::string(container.content.text("name"));
    auto sent = create("containers", body.content);
    for (const auto& variable : container.secrets) sent.confidential.push_back(json::extended("/env", variable));
    add((container.runs_first ? "init/" : "container/") + name, std::move(sent), pod);
    return std::nullopt;
  }

  /// One that is missing is pulled first, as the project's own pull, if it can be.
  std::optional<Deny> check_image(const kube::Container& container) {
    const auto* found = exchange_.facts.find(Kind::Image, container.image);
    if (!found) return std::nullopt;
    const bool own = found->ownership == Ownership::Own;
    const bool usable = own || found->ownership == Ownership::Shared;
    const auto reference = normalise_image_name(container.image);
    const bool local =
        !reference || reference->starts_with("localhost/") || is_shared_name(exchange_.project, *reference);
    const bool can_be_pulled =
        !local && container.pull != kube::PullPolicy::Never && !exchange_.facts.was_fetched(*reference);
    if (!usable && !can_be_pulled) return hidden(Kind::Image, container.image);
    const bool newer = own && container.pull == kube::PullPolicy::Newer && !full_image_id(container.image) &&
                       can_be_pulled && exchange_.facts.ledger().owns_tag(exchange_.project.id, *reference);
    if ((!usable || newer) && !fetch_) fetch_ = Fetch{*reference, exchange_.request.registry_auth, newer};
    return std::nullopt;
  }

  void add_files(const kube::Files& files, std::size_t container) {
    std::vector<TarFile> members;
    for (const auto& file : files.files) members.push_back({file.path, file.content, file.mode});
    auto put =
        request(Method::Put, "containers/" + std::string(made_id_mark) + "/archive?path=" + encode(files.target));
    put.fields.push_back({"Content-Type", "application/x-tar"});
    put.content = write_tar(members);
    if (files.confidential) put.confidential = {""};
    add("files/" + files.target, std::move(put), container);
  }

  /// Volumes that the YAML itself makes are no longer needed from elsewhere.
  void take_needs(JudgedBody& body) {
    auto& needs = batch_.needs;
    const auto add_new = [](auto& to, auto& from) {
      for (auto& item : from)
        if (std::ranges::none_of(to, [&](const auto& known) { return known.name == item.name; }))
          to.push_back(std::move(item));
    };
    std::erase_if(body.volumes, [&](const NewVolume& volume) { return made_here_.contains(volume.name); });
    add_new(needs.volumes, body.volumes);
    add_new(needs.networks, body.networks);
    add_new(needs.workspace_volumes, body.workspace_volumes);
    needs.sources.merge(body.sources);
  }

  Exchange& exchange_;
  Batch batch_;
  std::set<std::string> made_here_;
  std::optional<Fetch> fetch_;
};

}  // namespace

Decision kube_play(Exchange& exchange) { return Play(exchange).run(); }

}  // namespace podfence::rules::act
