#include "rules/decide.hpp"

#include "rules/act/act.hpp"
#include "rules/answer.hpp"
#include "rules/endpoint_class.hpp"
#include "rules/quota.hpp"
#include "rules/shown_path.hpp"

namespace podfence::rules {

namespace {

/// The name of each is locked until it is made.
constexpr std::size_t max_new_volumes = 64;
/// Each is opened before the request is sent.
constexpr std::size_t max_sources = 1024;

Decision act_on(Exchange& exchange) {
  const auto& endpoint = *exchange.match.endpoint;
  if (exchange.project.policy.read_only && endpoint.act != Act::Refuse && changes_something(endpoint))
    return Deny{refusal("access.read"), shown_path(exchange.request.target), Kind::None};
  switch (endpoint.act) {
    case Act::Refuse:
      return Deny{endpoint.refusal, shown_path(exchange.request.target), Kind::None};
    case Act::Plain:
    case Act::VolumeRemove:     // the exact name was resolved, and the per-name lock keeps it in place
    case Act::ContainerCreate:  // its references and volumes come out of the content
    case Act::DiskUsage:
      return act::plain(exchange);
    case Act::VolumeImport:
      return act::volume_import(exchange);
    case Act::Start:
      return act::start(exchange);
    case Act::Archive:
      return act::archive(exchange);
    case Act::Events:
      ask_what_is_there(exchange);
      return act::plain(exchange);
    case Act::Exists:
      return act::exists(exchange);
    case Act::List:
      return act::list(exchange);
    case Act::Prune:
      return act::prune(exchange);
    case Act::VolumeCreate:
      return act::create_named(exchange, Kind::Volume);
    case Act::NetworkCreate:
      return act::create_named(exchange, Kind::Network);
    case Act::NetworkRemove:
      return act::network_remove(exchange);
    case Act::ImageRemove:
      return act::image_remove(exchange);
    case Act::ImageBatchRemove:
      return act::image_batch_remove(exchange);
    case Act::ImagePull:
      return act::image_pull(exchange);
    case Act::Build:
      return act::build_image(exchange);
    case Act::ImageTag:
      return act::image_tag(exchange);
    case Act::ImageUntag:
      return act::image_untag(exchange);
    case Act::ImagePush:
      return act::image_push(exchange);
    case Act::ImageSave:
      return act::image_save(exchange);
    case Act::ImageLoad:
      return act::image_load(exchange);
    case Act::ImageImport:
      return act::image_import(exchange);
    case Act::Commit:
      return act::commit(exchange);
    case Act::ImageSearch:
      return act::image_search(exchange);
    case Act::RegistryLogin:
      return act::plain(exchange);
    case Act::ManifestCreate:
      return act::manifest_create(exchange);
    case Act::ManifestInspect:
      return act::manifest_inspect(exchange);
    case Act::ManifestModify:
      return act::manifest_modify(exchange);
    case Act::ManifestRemove:
      return act::manifest_remove(exchange);
    case Act::SecretCreate:
      return act::secret_create(exchange);
    case Act::SecretInspect:
      return act::secret_inspect(exchange);
    case Act::SecretRemove:
      return act::secret_remove(exchange);
    case Act::Stats:
      return act::stats(exchange);
    case Act::Showmounted:
      return act::showmounted(exchange);
    case Act::KubePlay:
      return act::kube_play(exchange);
    case Act::KubeDown:
      return act::kube_down(exchange);
    case Act::KubeGenerate:
      return act::kube_generate(exchange);
  }
  return Deny{refusal("endpoint.unknown"), shown_path(exchange.request.target), Kind::None};
}

}  // namespace

Deny hidden(Kind kind, std::string_view name) { return {refusal("ownership.hidden"), std::string(name), kind}; }

Decision decide(Exchange& exchange) {
  auto decision = act_on(exchange);
  if (std::holds_alternative<Deny>(decision)) return decision;
  if (auto* forward = std::get_if<Forward>(&decision))
    forward->request.once = changes_something(*exchange.match.endpoint);
  if (const auto* needs = needs_of(decision)) {
    if (needs->volumes.size() > max_new_volumes)
      return Deny{refusal("limit.volumes"), std::to_string(max_new_volumes), Kind::None};
    if (needs->sources.size() > max_sources)
      return Deny{refusal("limit.references"), std::to_string(max_sources), Kind::None};
  }
  // What a prune asks about is the project's own, and so is what is counted; what else asks much was told so by the
  // client.
  if (exchange.facts.open() > max_references && exchange.match.endpoint->act != Act::Prune)
    return Deny{refusal("limit.references"), std::to_string(max_references), Kind::None};
  if (const auto* uses = uses_of(decision))
    if (auto deny = check_quotas(exchange, *uses)) return *deny;
  if (exchange.facts.complete()) return decision;
  return Ask{exchange.facts.take_open()};
}

}  // namespace podfence::rules
