#pragma once
// How each Act of the endpoint table is decided; decide.cpp calls them. Every function follows facts.hpp's contract:
// with facts missing the result is thrown away, so placeholders may go in.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/decision.hpp"
#include "rules/exchange.hpp"
#include "rules/kube/upload.hpp"

namespace podfence::rules::act {

/// Resolve the path's object, judge query and content, send on.
Decision plain(Exchange& exchange);
/// As plain, with a look at what Podman then opens on the host: sources.cpp.
Decision start(Exchange& exchange);
Decision archive(Exchange& exchange);
Decision exists(Exchange& exchange);
Decision list(Exchange& exchange);
Decision prune(Exchange& exchange);
Decision create_named(Exchange& exchange, Kind kind);
Decision volume_import(Exchange& exchange);
Decision network_remove(Exchange& exchange);
Decision image_remove(Exchange& exchange);
Decision image_batch_remove(Exchange& exchange);
Decision image_pull(Exchange& exchange);
Decision build_image(Exchange& exchange);
Decision image_tag(Exchange& exchange);
Decision image_untag(Exchange& exchange);
Decision image_push(Exchange& exchange);
Decision image_save(Exchange& exchange);
Decision image_load(Exchange& exchange);
Decision image_import(Exchange& exchange);
Decision commit(Exchange& exchange);
Decision image_search(Exchange& exchange);
Decision manifest_create(Exchange& exchange);
Decision manifest_inspect(Exchange& exchange);
Decision manifest_modify(Exchange& exchange);
Decision manifest_remove(Exchange& exchange);
Decision secret_create(Exchange& exchange);
/// What makes a secret of a Kubernetes Secret, in the place of an own one of that name. Puts it behind what there is.
std::optional<Deny> add_secret(Exchange& exchange, const kube::KeptSecret& secret, Batch& batch);
Decision secret_inspect(Exchange& exchange);
Decision secret_remove(Exchange& exchange);
Decision showmounted(Exchange& exchange);
Decision stats(Exchange& exchange);
Decision kube_play(Exchange& exchange);
Decision kube_down(Exchange& exchange);
Decision kube_generate(Exchange& exchange);

/// The object in the path, when the client may go on with it; a Deny when not; neither while it is unknown.
struct Subject {
  const Fact* fact = nullptr;
  std::optional<Deny> denied;
};
Subject subject_of(Exchange& exchange);

/// The row's path for upstream: the client's version, the parameter replaced by the encoded id.
std::string upstream_path(const Exchange& exchange, std::string_view id);

/// An image that the project may use: own or shared.
Subject usable_image(Exchange& exchange, std::string_view reference);

/// The image's own name that the client's reference stands for, "" when it is an id, a digest or a shared name.
std::string own_tag_meant(const Exchange& exchange, std::string_view reference, const json::Value& image);
/// Its names that are the project's.
std::vector<std::string> own_tags(const Exchange& exchange, const json::Value& image);
UpstreamRequest untag_request(std::string_view id, std::string_view tag);

/// The requests that take an image, or only some of its names, away from the project: see image_remove.cpp.
void remove_image(Exchange& exchange, const json::Value& image, std::string_view only_tag, Batch& batch);

}  // namespace podfence::rules::act
