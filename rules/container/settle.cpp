#include "rules/container/settle.hpp"

#include "rules/container/words.hpp"
#include "rules/contains.hpp"
#include "rules/exchange.hpp"
#include "rules/json_path.hpp"
#include "rules/names.hpp"
#include "rules/units.hpp"

namespace podfence::rules {

namespace {

/// What Podman would give, and policy does not.
void settle_capabilities(const Description& description, const Policy& policy, Changes& changes) {
  static const Privileges podman;
  if (contains(description.dropped_capabilities, "all")) return;
  for (const auto& name : podman.capabilities)
    if (!contains(policy.privileges.capabilities, name) && !contains(description.dropped_capabilities, name))
      changes.dropped_capabilities.push_back(name);
}

void settle_environment(const Description& description, const Policy& policy, Changes& changes) {
  for (const auto& entry : policy.environment)
    if (!contains(description.environment, entry.first)) changes.environment.push_back(entry);
}

/// The kernel keeps the half that is not said, whatever it is.
std::optional<Deny> settle_quotas(const Words& words, bool is_new, json::Value& content) {
  for (const QuotaWord& word : words.quotas) {
    const bool has_quota = json::at(content, word.quota), has_period = json::at(content, word.period);
    if (has_quota == has_period) continue;
    if (has_period)
      return Deny{refusal("field.value"), std::string(word.period), Kind::None, "say the quota that goes with it"};
    if (!is_new) json::make(content, word.period) = json::Value::integer(default_period);
  }
  return std::nullopt;
}

/// A host name beside somebody's UTS namespace Podman looks up among the pods of everybody (specgen: MakeContainer), to
/// leave it out where it is one's name, and to fail otherwise.
std::optional<Deny> settle_hostname(const Words& words, const Description& description, const Place& place,
                                    json::Value& content) {
  json::Value* hostname = content.find(words.hostname);
  if (!hostname || hostname->string()->empty()) return std::nullopt;
  const json::Value* mode = json::at(content, words.uts);
  const bool is_unsaid = !mode || !mode->string() || mode->string()->empty();
  if (is_unsaid ? description.pod.empty() : *mode->string() == "private") return std::nullopt;
  const Fact* pod = description.pod.empty() ? nullptr : place.exchange.facts.find(Kind::Pod, description.pod, true);
  const auto name = pod ? name_of(Kind::Pod, pod->document) : std::string_view();
  if (pod && name != *hostname->string() && client_name(place.exchange.project, name) != *hostname->string())
    return Deny{refusal("field.value"), std::string(words.hostname), Kind::None, "leave it out: the name is the pod's"};
  if (!pod && description.pod.empty())
    return Deny{refusal("field.value"), std::string(words.hostname), Kind::None,
                "leave it out: the name is that of the container whose namespace it is"};
  content.erase(words.hostname);
  return std::nullopt;
}

}  // namespace

std::variant<Changes, Deny> settle(const Description& description, Body body, const Place& place) {
  const Policy& policy = place.exchange.project.policy;
  const bool makes_container = body == Body::ContainerCreateCompat || body == Body::ContainerCreateLibpod;
  Changes changes;
  if (auto deny = settle_amounts(description, policy, makes_container, changes)) return std::move(*deny);
  if (!makes_container && body != Body::PodCreate) return changes;
  if (description.pod.empty()) changes.user_namespace = policy.privileges.user_namespace;
  if (makes_container) {
    settle_capabilities(description, policy, changes);
    settle_environment(description, policy, changes);
    changes.no_new_privileges = !policy.privileges.new_privileges && !description.forbids_new_privileges;
    changes.read_only_root = policy.privileges.read_only_root;
  }
  if (auto deny = settle_network(description, place, changes)) return std::move(*deny);
  if (auto deny = settle_ports(description, place, changes)) return std::move(*deny);
  return changes;
}

std::optional<Deny> settle_content(Body body, json::Value& content, const Place& place) {
  const bool is_new = body != Body::ContainerUpdateCompat && body != Body::ContainerUpdateLibpod;
  const Words* words = words_of(body);
  if (auto deny = words ? settle_quotas(*words, is_new, content) : std::nullopt) return deny;
  const auto description = describe(body, content);
  if (auto deny = words ? settle_hostname(*words, description, place, content) : std::nullopt) return deny;
  auto settled = settle(description, body, place);
  if (auto* deny = std::get_if<Deny>(&settled)) return std::move(*deny);
  apply(std::get<Changes>(settled), body, content);
  return std::nullopt;
}

}  // namespace podfence::rules
