#include "rules/volume_claim.hpp"

#include "rules/json.hpp"
#include "rules/target.hpp"

namespace podfence::rules {

namespace {

constexpr std::string_view volumes = "/v4.0.0/libpod/volumes/";

}  // namespace

UpstreamRequest claim_volume(const Project& project, std::string_view name) {
  json::Value labels = json::Value::object();
  labels.set(project.label_key, project.id);
  json::Value content = json::Value::object();
  content.set("Name", name);
  // Podman 4.3 reads both names, 4.0 the first one only (libpod/volumes.go:CreateVolume).
  content.set("Label", std::move(labels));
  return {Method::Post, std::string(volumes) + "create", {{"Content-Type", "application/json"}}, json::write(content)};
}

bool volume_was_made(int status) { return status == 201; }

Question volume_owner(std::string_view name) { return {Question::Ask::Object, Kind::Volume, std::string(name)}; }

std::optional<Deny> check_claim(const Fact& fact, std::string_view name) {
  switch (fact.ownership) {
    case Ownership::Own:
      return std::nullopt;
    case Ownership::Missing:
      return Deny{refusal("upstream.answer"), "the volume was not made", Kind::None};
    case Ownership::Foreign:
    case Ownership::Shared:
      break;
  }
  return hidden(Kind::Volume, name);
}

UpstreamRequest unclaim_volume(std::string_view name) {
  return {Method::Delete, std::string(volumes) + encode(name), {}, std::nullopt};
}

}  // namespace podfence::rules
