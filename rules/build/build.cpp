#include "rules/build/build.hpp"

namespace podfence::rules::build {

namespace {

constexpr std::string_view cache_label_key = "podfence.cache";
constexpr EngineVersion keeps_loopback_out{5, 0};

}  // namespace

std::string cache_label(const Project& project, const Ledger& ledger) {
  return "LABEL \"" + project.label_key + "\"=\"" + project.id + "\" \"" + std::string(cache_label_key) + "\"=\"" +
         ledger.cache_key(project.id) + "\"";
}

bool has_cache_label(const json::Value& image, const Project& project, const Ledger& ledger) {
  const auto* labels = image.find("Labels");
  return labels && labels->text(cache_label_key) == ledger.cache_key(project.id);
}

bool has_network(const Options& options, const Project& project, EngineVersion engine) {
  if (!options.network || !project.policy.network.egress.open) return false;
  return engine >= keeps_loopback_out || project.policy.build.network;
}

}  // namespace podfence::rules::build
