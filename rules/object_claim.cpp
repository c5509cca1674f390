#include "rules/object_claim.hpp"

#include "rules/body/checks.hpp"
#include "rules/json.hpp"
#include "rules/target.hpp"

namespace podfence::rules {

namespace {

constexpr std::string_view volumes = "/v4.0.0/libpod/volumes/";

json::Value labels_of(const Project& project) {
  json::Value labels;
  labels.set(project.label_key, project.id);
  return labels;
}

UpstreamRequest post(std::string target, const json::Value& content) {
  return {Method::Post, std::move(target), {{"Content-Type", "application/json"}}, json::write(content)};
}

}  // namespace

UpstreamRequest claim(const Project& project, const NewVolume& volume) {
  json::Value content;
  content.set("Name", volume.name);
  // Podman 4.3 reads both names, 4.0 the first one only (libpod/volumes.go:CreateVolume).
  content.set("Label", labels_of(project));
  return post(std::string(volumes) + "create", content);
}

UpstreamRequest claim(const Project& project, const NewNetwork& network) {
  json::Value options;
  options.set(isolate_option, "true");
  json::Value content;
  content.set("name", network.name);
  content.set("driver", "bridge");
  content.set("dns_enabled", true);
  content.set("internal", network.internal);
  content.set("options", std::move(options));
  content.set("labels", labels_of(project));
  return post("/v4.0.0/libpod/networks/create", content);
}

bool volume_was_made(int status) { return status == 201; }

Question owner_of_claimed(Kind kind, std::string_view name) { return {Question::Ask::Object, kind, std::string(name)}; }

std::optional<Deny> check_claim(Kind kind, const Fact& fact, std::string_view name) {
  switch (fact.ownership) {
    case Ownership::Own:
      return std::nullopt;
    case Ownership::Missing:
      return Deny{refusal("upstream.answer"), "what the request needs was not made", Kind::None};
    case Ownership::Foreign:
    case Ownership::Shared:
      break;
  }
  return hidden(kind, name);
}

UpstreamRequest unclaim_volume(std::string_view name) {
  return {Method::Delete, std::string(volumes) + encode(name), {}, std::nullopt};
}

}  // namespace podfence::rules
