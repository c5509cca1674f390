// Builds. Podman gets one file that is written anew: every image in it is named by the id that was found for it, every
// stage begins with a label that keeps the project's layers from everybody else's, and RUN has a network of its own or
// none. Both families go to libpod's endpoint, since Docker's knows no isolation in which an ordinary user's networks
// work (tried live on 4.3.1).

#include "rules/build/build.hpp"

#include <algorithm>

#include "rules/act/act.hpp"
#include "rules/dockerfile/dockerfile.hpp"
#include "rules/image_name.hpp"
#include "rules/image_target.hpp"
#include "rules/quota.hpp"

namespace podfence::rules::act {

namespace {

using build::PullPolicy;
using dockerfile::File;
using dockerfile::Image;

constexpr std::string_view path = "/v4.0.0/libpod/build";
constexpr std::string_view private_network = R"([{"Name":"network","Host":false,"Path":""}])";
constexpr std::string_view no_network = "1";  // buildah: NetworkDisabled

struct Build {
  Exchange& exchange;
  build::Options options;
  EngineVersion engine = {};
  File file = {};
  std::map<Image, std::string> ids = {};
  std::optional<Fetch> fetch = std::nullopt;
  bool has_triggers = false;  ///< a base image runs something in front of our label

  std::optional<Deny> read_file();
  std::optional<Deny> find_images();
  std::optional<Deny> find_image(const Image& image);
  std::optional<Deny> note_fetch(const Image& image, bool newer);
  void write_secrets(Forward& forward) const;
  Decision forward(const std::vector<QueryPair>& judged);
  dockerfile::Options dockerfile_options() const;
  std::vector<QueryPair> parameters(const std::vector<QueryPair>& judged) const;
};

std::string list(const std::vector<std::string>& texts) {
  json::Value result = json::Value::array();
  for (const auto& text : texts) result.push(text);
  return json::write(result);
}

dockerfile::Options Build::dockerfile_options() const {
  const auto& project = exchange.project;
  dockerfile::Options result;
  result.label_key = project.label_key;
  result.label_value = project.id;
  result.engine = engine;
  result.build_args = options.arguments;
  if (!options.platform.empty()) result.platform = options.platform;
  result.target = options.target;
  result.from = options.from;
  result.all_stages = options.all_stages;
  result.urls = project.policy.build.urls && project.policy.network.egress.open;
  result.secrets = !options.secrets.empty();
  result.cache_prefix = std::string(own_name_prefix) + project.id + ".";
  result.tmpfs_bytes = project.policy.limit(Amount::Tmpfs).most;
  return result;
}

/// Several files are one to Podman; of those that nobody named the first that is there counts.
std::optional<Deny> Build::read_file() {
  const auto& texts = exchange.request.archive->texts;
  std::vector<std::string_view> found;
  for (const auto& name : options.files) {
    const auto text = texts.find(name);
    if (text != texts.end()) found.push_back(text->second);
    if (text == texts.end() && options.names_files) return Deny{refusal("build.file-absent"), name, Kind::None};
    if (!found.empty() && !options.names_files) break;
  }
  if (found.empty()) return Deny{refusal("build.file-absent"), options.files.back(), Kind::None};
  for (const auto& secret : options.secrets)
    if (texts.find(secret.source) == texts.end()) return Deny{refusal("build.secret"), secret.source, Kind::None};
  auto parsed = dockerfile::parse(found, dockerfile_options());
  if (auto* deny = std::get_if<Deny>(&parsed)) return std::move(*deny);
  file = std::get<File>(std::move(parsed));
  return std::nullopt;
}

std::optional<Deny> Build::note_fetch(const Image& image, bool newer) {
  const auto reference = normalise_image_name(image.name);
  const bool local = !reference || reference->starts_with("localhost/") || is_shared_name(exchange.project, *reference);
  if (local || options.pull == PullPolicy::Never || exchange.facts.was_fetched(*reference))
    return hidden(Kind::Image, image.name);
  if (!fetch) fetch = Fetch{*reference, exchange.request.registry_auth, newer};
  return std::nullopt;
}

std::optional<Deny> Build::find_image(const Image& image) {
  if (!image.platform.empty() && image.platform != options.platform)
    return Deny{refusal("build.platform"), image.platform, Kind::None};
  const auto* found = exchange.facts.find(Kind::Image, image.name);
  if (!found) return std::nullopt;
  if (found->ownership != Ownership::Own && found->ownership != Ownership::Shared) return note_fetch(image, false);
  const auto reference = normalise_image_name(image.name);
  const bool wants_newer = options.pull == PullPolicy::Newer && found->ownership == Ownership::Own && reference &&
                           !full_image_id(image.name) &&
                           exchange.facts.ledger().owns_tag(exchange.project.id, *reference) &&
                           !exchange.facts.was_fetched(*reference);
  if (wants_newer) return note_fetch(image, true);
  ids[image] = found->id;
  std::vector<std::string> triggers;
  if (const auto* config = found->document.find("Config"))
    for (const auto& trigger : config->list("OnBuild"))
      if (trigger.string()) triggers.push_back(*trigger.string());
  has_triggers |= !triggers.empty();
  return dockerfile::check_onbuild(triggers, dockerfile_options());
}

std::optional<Deny> Build::find_images() {
  for (const auto& image : dockerfile::images(file))
    if (auto deny = find_image(image)) return deny;
  return std::nullopt;
}

std::vector<QueryPair> Build::parameters(const std::vector<QueryPair>& judged) const {
  const auto& project = exchange.project;
  auto pairs = judged;
  pairs.insert(pairs.end(), options.pairs.begin(), options.pairs.end());
  const bool says_layers = std::ranges::any_of(judged, [](const QueryPair& pair) { return pair.name == "layers"; });
  if (!says_layers) pairs.push_back({"layers", exchange.match.endpoint->family == Family::Docker ? "true" : "false"});
  if (has_triggers) {  // their layers have no label of the project yet, and would be taken from anybody's cache
    std::erase_if(pairs, [](const QueryPair& pair) { return pair.name == "nocache"; });
    pairs.push_back({"nocache", "true"});
  }
  pairs.push_back({"dockerfile", list({std::string(build::written_file)})});
  pairs.push_back({"excludes", list(build::excludes_of(options, *exchange.request.archive))});
  pairs.push_back({"outputformat", options.format});
  pairs.push_back({"pullpolicy", "never"});  // what it needs has been found, by its id
  pairs.push_back({"nsoptions", std::string(private_network)});
  if (!build::has_network(options, project, engine)) pairs.push_back({"networkmode", std::string(no_network)});
  if (!options.platform.empty()) pairs.push_back({"platform", options.platform});
  if (!options.hosts.empty()) pairs.push_back({"extrahosts", list(options.hosts)});
  if (!options.arguments.empty()) {
    json::Value arguments = json::Value::object();
    for (const auto& [name, value] : options.arguments) arguments.set(name, value);
    pairs.push_back({"buildargs", json::write(arguments)});
  }
  std::vector<std::string> secrets;
  for (const auto& secret : options.secrets)
    secrets.push_back("id=" + secret.id + ",src=" + build::written_secret(secrets.size()) + ",type=file");
  if (!secrets.empty()) pairs.push_back({"secrets", list(secrets)});
  std::vector<std::string> labels;
  for (const auto& [name, value] : options.labels) labels.push_back(name + "=" + value);
  labels.push_back(project.label_key + "=" + project.id);  // the last one counts
  pairs.push_back({"labels", list(labels)});
  return pairs;
}

void Build::write_secrets(Forward& forward) const {
  for (std::size_t number = 0; number < options.secrets.size(); ++number) {
    const auto text = exchange.request.archive->texts.find(options.secrets[number].source);
    forward.members[text->first] = std::nullopt;
    forward.members[build::written_secret(number)] = text->second;
  }
}

Decision Build::forward(const std::vector<QueryPair>& judged) {
  Forward forward;
  auto pairs = parameters(judged);
  std::vector<std::string> targets;
  for (const auto& asked : options.tags) {
    const auto target = target_name(exchange.match.endpoint->family, asked, "");
    if (!target) return Deny{refusal("image.reference"), asked, Kind::Image};
    if (auto deny = check_target(exchange, *target)) return *std::move(deny);
    targets.push_back(*target);
    pairs.push_back({"t", *target});
  }
  claim_targets(exchange, targets, forward);
  const std::vector<std::string> behind_from{build::cache_label(exchange.project, exchange.facts.ledger())};
  auto text = dockerfile::write(file, ids, behind_from);
  if (auto* deny = std::get_if<Deny>(&text)) return std::move(*deny);
  write_secrets(forward);
  forward.members[std::string(build::written_file)] = std::get<std::string>(std::move(text));
  forward.request = {Method::Post, write_target(path, pairs), {{"Content-Type", "application/x-tar"}}, std::nullopt};
  note_uses(exchange, nullptr, forward);
  return forward;
}

}  // namespace

Decision build_image(Exchange& exchange) {
  auto query = judge_query(exchange.match.endpoint->query, exchange);
  if (const auto* deny = std::get_if<Deny>(&query)) return *deny;
  auto options = build::read_options(exchange.request, exchange.project);
  if (const auto* deny = std::get_if<Deny>(&options)) return *deny;
  Build build{exchange, std::get<build::Options>(std::move(options))};
  const auto engine = exchange.facts.engine_version();
  if (!exchange.request.archive || !engine) return Ask{};
  build.engine = *engine;
  if (auto deny = build.read_file()) return *std::move(deny);
  if (auto deny = build.find_images()) return *std::move(deny);
  if (!exchange.facts.complete()) return Ask{};
  if (build.fetch) return *std::move(build.fetch);
  return build.forward(std::get<JudgedQuery>(query).pairs);
}

}  // namespace podfence::rules::act
