#pragma once
// Answers about Kubernetes YAML.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/answer.hpp"

namespace podfence::rules::answer {

Reply play_report(Exchange& exchange, const std::vector<Outcome>& outcomes);
Reply down_report(Exchange& exchange, const std::vector<Outcome>& outcomes);

/// What `podman kube generate` wrote, as the project may read it; nullopt: it is not understood. Facts that are missing
/// are noted in the exchange.
std::optional<std::string> rewrite_generated(Exchange& exchange, std::string_view content);

}  // namespace podfence::rules::answer
