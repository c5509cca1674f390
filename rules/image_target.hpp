#pragma once
// Names that a request gives to images. Podman lets a name go over from one image to another without a word, whoever
// had it; so there is one place that says whether a project may give a name, and everything that names an image asks
// here: tag, commit, import, load.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/endpoint.hpp"
#include "rules/exchange.hpp"

namespace podfence::rules {

/// `name` and `tag` as Podman completes them: a short name is Docker Hub's to the Docker API, and localhost's to libpod
/// (libimage: NormalizeName). nullopt: it cannot be a tag.
std::optional<std::string> target_name(Family family, std::string_view name, std::string_view tag);

/// `repo` and `tag`, as tag and commit want them.
std::vector<QueryPair> repository_and_tag(std::string_view target);

/// Must be nobody's, or this project's alone. nullopt: it is, or is still asked.
std::optional<Deny> check_target(Exchange& exchange, const std::string& target);

/// The names are the project's from before the request is sent. When it does not come to pass they are free again.
void claim_targets(const Exchange& exchange, const std::vector<std::string>& targets, Forward& forward);

/// The names that a request gives to the images that it makes: commit, import, load. It has been judged already.
std::vector<std::string> made_names(const Exchange& exchange);

/// Is the request to Docker's images/create an import, and no pull?
bool takes_root_archive(const Endpoint& endpoint, const Target& target);

}  // namespace podfence::rules
