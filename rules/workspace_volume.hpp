#pragma once
// Paths below a workspace, mounted so that no symbolic link leads out of it: Podman 5.4 and later mount a path below a
// volume by opening it beneath the volume's root, at every start anew. podfence makes a volume of its own over the
// workspace for that. It carries no project's label, so that no client can name, see or remove it.

#include <string>
#include <string_view>

#include "rules/decision.hpp"
#include "rules/engine_version.hpp"
#include "rules/json.hpp"
#include "rules/project.hpp"

namespace podfence::rules {

/// The first Podman that has sub-paths of volumes, in the API of its own and in the texts of the other one.
inline constexpr EngineVersion first_with_sub_paths{5, 4};

/// By the host's path and the mode: workspaces of two projects that are the same directory have the same one.
WorkspaceVolume volume_of(const Workspace& workspace);

/// The workspace of the project behind a volume's name; nullptr when there is none.
const Workspace* workspace_of_volume(const Project& project, std::string_view volume);

UpstreamRequest claim(const WorkspaceVolume& volume);
/// Is that the volume, to the letter? Everybody who may use the engine past podfence can make one of that name.
std::optional<Deny> check_claim(const WorkspaceVolume& volume, const json::Value& document);

}  // namespace podfence::rules
