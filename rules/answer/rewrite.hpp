#pragma once
// The rewriting of whole answers, one function for each shape. False: the answer has not the shape that Podman gives
// it, and nothing of it may pass. Facts that are missing are noted in the exchange and the result is thrown away.

#include <string>
#include <string_view>

#include "rules/answer.hpp"
#include "rules/json.hpp"
#include "rules/json_parts.hpp"

namespace podfence::rules::answer {

bool rewrite_containers(Exchange& exchange, json::Value& document);
bool rewrite_container(Exchange& exchange, json::Value& document);
bool rewrite_pods(Exchange& exchange, json::Value& document);
bool rewrite_volumes(Exchange& exchange, json::Value& document);
bool rewrite_networks(Exchange& exchange, json::Value& document);
bool rewrite_network(Exchange& exchange, json::Value& document);
bool rewrite_images(Exchange& exchange, json::Value& document);
bool rewrite_image(Exchange& exchange, json::Value& document);
bool rewrite_image_history(Exchange& exchange, json::Value& document);
bool rewrite_image_tree(Exchange& exchange, json::Value& document);
bool rewrite_secrets(Exchange& exchange, json::Value& document);
bool rewrite_removal(Exchange& exchange, json::Value& document);
bool rewrite_info(Exchange& exchange, json::Value& document);
bool rewrite_disk_usage(Exchange& exchange, json::Value& document);

/// Empties what speaks of the host: paths, names, proxy settings (host_places.cpp has the table). What the project
/// mounts from the host is shown by its clients' path.
void hide_host(const Project& project, Answer answer, json::Value& document);

/// Writes the clients' names over upstream's (names.hpp; name_places.cpp has the table).
void show_names(const Project& project, Answer answer, json::Value& document);
/// Adds the members that it looks at.
void add_name_parts(Answer answer, std::vector<std::string_view>& whole, std::vector<std::string_view>& through);

/// What is asked about of an answer by these rules; nullptr: anything may be.
const json::Parts* parts_of(Answer answer, const Project& project);

/// Mounts of paths below workspaces, in a container's inspect answer or its place in Docker's list.
void show_workspace_mounts(Exchange& exchange, json::Value& container);

/// Own by label, or without labels and mounted by an own container.
bool is_own_volume(Facts& facts, const json::Value& volume);
/// The same of a name alone.
bool is_own_volume_name(Facts& facts, std::string_view name);

/// The name of a container's image, as the project may read it: the name itself, else a visible one of the same image,
/// else the id. `id` may be empty.
std::string shown_image(Exchange& exchange, const std::string& name, std::string_view id);

/// Is it the id of a container of the project?
bool is_own_container(Facts& facts, std::string_view id);

}  // namespace podfence::rules::answer
