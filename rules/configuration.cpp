#include "rules/configuration.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "rules/configuration_text.hpp"
#include "rules/host_path.hpp"
#include "rules/json.hpp"

namespace podfence::rules {
namespace {

using Failure = std::optional<ConfigurationError>;

/// A configuration while it is read.
struct Draft {
  Configuration configuration;
  std::string label_key = Project{}.label_key;
  Policy defaults;
};

/// One key of an object, and how its value is read into a Target.
template <class Target>
struct Key {
  std::string_view name;
  Failure (*read)(const json::Value& value, const std::string& where, Target& target);
};

/// RFC 6901.
std::string pointer(const std::string& where, std::string_view name) {
  std::string text = where + "/";
  for (const char c : name) {
    if (c == '~')
      text += "~0";
    else if (c == '/')
      text += "~1";
    else
      text += c;
  }
  return text;
}

template <class Target>
std::string names_of(std::span<const Key<Target>> keys) {
  std::string names;
  for (const auto& key : keys) names.append(names.empty() ? "" : ", ").append(key.name);
  return names;
}

/// Keys are read in the order of the table, not of the text: later rows see what earlier ones said.
template <class Target>
Failure read_object(const json::Value& value, const std::string& where, std::span<const Key<Target>> keys,
                    Target& target) {
  const json::Object* members = value.members();
  if (members == nullptr) return {{where, "must be an object"}};
  for (const auto& member : *members) {
    if (std::ranges::find(keys, member.name, &Key<Target>::name) == keys.end())
      return {{pointer(where, member.name), "is not a key that is known here; known are: " + names_of(keys)}};
  }
  for (const auto& key : keys) {
    const json::Value* member = value.find(key.name);
    if (member == nullptr) continue;
    if (auto failure = key.read(*member, pointer(where, key.name), target)) return failure;
  }
  return std::nullopt;
}

/// What a single value may look like: configuration_text.hpp.
using Check = const char* (*)(std::string_view);

Failure check_text(const std::string& text, const std::string& where, Check check) {
  if (const char* wrong = check(text)) return {{where, wrong}};
  return std::nullopt;
}

Failure read_text(const json::Value& value, const std::string& where, Check check, std::string& target) {
  const std::string* text = value.string();
  if (text == nullptr) return {{where, "must be a string"}};
  target = *text;
  return check_text(*text, where, check);
}

Failure read_shared_images(const json::Value& value, const std::string& where, Policy& policy) {
  const json::Array* items = value.items();
  if (items == nullptr) return {{where, "must be a list of image names"}};
  policy.shared_images.clear();  // a project's own list replaces the one in defaults
  for (const auto& item : *items) {
    std::string& pattern = policy.shared_images.emplace_back();
    if (auto failure = read_text(item, pointer(where, std::to_string(policy.shared_images.size() - 1)),
                                 wrong_with_shared_image, pattern))
      return failure;
  }
  return std::nullopt;
}

constexpr Key<Policy> image_keys[] = {
    {"shared", read_shared_images},
};

Failure read_images(const json::Value& value, const std::string& where, Policy& policy) {
  return read_object<Policy>(value, where, image_keys, policy);
}

Failure read_mode(const json::Value& value, const std::string& where, Workspace& workspace) {
  const std::string* text = value.string();
  if (text == nullptr || (*text != "rw" && *text != "ro")) return {{where, "must be \"rw\" or \"ro\""}};
  workspace.read_only = *text == "ro";
  return std::nullopt;
}

constexpr Key<Workspace> workspace_keys[] = {
    {"client", [](const json::Value& value, const std::string& where,
                  Workspace& target) { return read_text(value, where, wrong_with_mount_path, target.client); }},
    {"host", [](const json::Value& value, const std::string& where,
                Workspace& target) { return read_text(value, where, wrong_with_workspace_host, target.host); }},
    {"mode", read_mode},
};

bool overlap(std::string_view one, std::string_view other) {
  return one == other || is_below(one, other) || is_below(other, one);
}

/// A path must have one meaning, for requests and for answers. And a client that can write to a directory could put a
/// link where another workspace lies within it.
Failure check_apart(const Workspace& workspace, std::span<const Workspace> others, const std::string& where) {
  for (const Workspace& other : others) {
    if (overlap(workspace.client, other.client))
      return {{where + "/client", "is, contains or lies within " + other.client + ", another workspace"}};
    if (overlap(workspace.host, other.host))
      return {{where + "/host", "is, contains or lies within " + other.host + ", another workspace"}};
  }
  return std::nullopt;
}

Failure read_workspaces(const json::Value& value, const std::string& where, Policy& policy) {
  const json::Array* items = value.items();
  if (items == nullptr) return {{where, "must be a list of objects with client, host and mode"}};
  auto& workspaces = policy.workspaces;
  for (const auto& item : *items) {
    const std::string at = pointer(where, std::to_string(workspaces.size()));
    Workspace& workspace = workspaces.emplace_back();
    if (auto failure = read_object<Workspace>(item, at, workspace_keys, workspace)) return failure;
    if (workspace.client.empty()) return {{at, "must say client, the path that clients name"}};
    if (workspace.host.empty()) return {{at, "must say host, the directory on the host"}};
    if (auto failure = check_apart(workspace, std::span(workspaces).first(workspaces.size() - 1), at)) return failure;
  }
  return std::nullopt;
}

Failure refuse_default_workspace(const json::Value&, const std::string& where, Policy&) {
  return {{where, "must stand in a project: all projects would share the directory"}};
}

constexpr Key<Policy> policy_keys[] = {
    {"images", read_images},
    {"workspace", refuse_default_workspace},
};

constexpr Key<ProjectConfiguration> project_keys[] = {
    {"socket", [](const json::Value& value, const std::string& where,
                  ProjectConfiguration& target) { return read_text(value, where, wrong_with_socket, target.socket); }},
    {"images", [](const json::Value& value, const std::string& where,
                  ProjectConfiguration& target) { return read_images(value, where, target.project.policy); }},
    {"workspace", [](const json::Value& value, const std::string& where,
                     ProjectConfiguration& target) { return read_workspaces(value, where, target.project.policy); }},
};

constexpr const char* project_id_syntax =
    "must be a project id: 1 to 63 characters a-z, 0-9 and '-', the first one a letter or digit";

Failure read_projects(const json::Value& value, const std::string& where, Draft& draft) {
  const json::Object* members = value.members();
  if (members == nullptr) return {{where, "must be an object of projects by id"}};
  for (const auto& member : *members) {
    const std::string at = pointer(where, member.name);
    if (!is_project_id(member.name)) return {{at, project_id_syntax}};
    auto& entry = draft.configuration.projects.emplace_back();
    entry.project.id = member.name;
    entry.project.label_key = draft.label_key;
    entry.project.policy = draft.defaults;
    if (auto failure = read_object<ProjectConfiguration>(member.value, at, project_keys, entry)) return failure;
  }
  return std::nullopt;
}

constexpr Key<Draft> draft_keys[] = {
    {"upstream", [](const json::Value& value, const std::string& where,
                    Draft& draft) { return read_text(value, where, wrong_with_socket, draft.configuration.upstream); }},
    {"state", [](const json::Value& value, const std::string& where,
                 Draft& draft) { return read_text(value, where, wrong_with_path, draft.configuration.state); }},
    {"audit_log", [](const json::Value& value, const std::string& where,
                     Draft& draft) { return read_text(value, where, wrong_with_path, draft.configuration.audit_log); }},
    {"label", [](const json::Value& value, const std::string& where,
                 Draft& draft) { return read_text(value, where, wrong_with_label_key, draft.label_key); }},
    {"defaults", [](const json::Value& value, const std::string& where,
                    Draft& draft) { return read_object<Policy>(value, where, policy_keys, draft.defaults); }},
    {"projects", read_projects},
};

/// A client of one project must never find another project's listener, or Podman itself, at its own socket.
Failure check_distinct(const Configuration& configuration) {
  const auto& projects = configuration.projects;
  for (std::size_t i = 0; i < projects.size(); ++i) {
    const auto& [project, socket] = projects[i];
    if (socket.empty()) continue;
    const std::string where = pointer("/projects", project.id) + "/socket";
    if (socket == configuration.upstream) return {{where, "must not be the socket of Podman (upstream)"}};
    for (const auto& other : std::span(projects).first(i))
      if (socket == other.socket) return {{where, "is the socket of the project " + other.project.id + " already"}};
  }
  return std::nullopt;
}

/// Two projects may have the same directory, if their operator says so of both; none may hold another's path.
Failure check_workspaces_apart(const Configuration& configuration) {
  for (const auto& [project, socket] : configuration.projects) {
    const auto& workspaces = project.policy.workspaces;
    for (std::size_t i = 0; i < workspaces.size(); ++i)
      for (const auto& other : configuration.projects)
        for (const Workspace& outer : other.project.policy.workspaces)
          if (is_below(workspaces[i].host, outer.host))
            return wrong_workspace(project, i,
                                   "lies within " + outer.host + ", a workspace of the project " + other.project.id +
                                       ", whose clients could put a symbolic link in its place");
  }
  return std::nullopt;
}

}  // namespace

ConfigurationError wrong_workspace(const Project& project, std::size_t index, std::string what) {
  return {pointer("/projects", project.id) + "/workspace/" + std::to_string(index) + "/host", std::move(what)};
}

std::variant<Configuration, ConfigurationError> read_configuration(std::string_view text) {
  const auto plain = strip_comments(text);
  if (!plain) return ConfigurationError{"", "a comment that begins with /* has no end"};
  const auto parsed = json::parse(*plain);
  if (const auto* error = std::get_if<json::Error>(&parsed)) return ConfigurationError{"", error->what};
  Draft draft;
  if (auto failure = read_object<Draft>(std::get<json::Value>(parsed), "", draft_keys, draft)) return *failure;
  if (draft.configuration.projects.empty()) return ConfigurationError{"/projects", "must name at least one project"};
  if (auto failure = check_distinct(draft.configuration)) return *failure;
  if (auto failure = check_workspaces_apart(draft.configuration)) return *failure;
  return std::move(draft.configuration);
}

std::variant<Configuration, ConfigurationError> configuration_of(const ServeOptions& options) {
  if (!is_project_id(options.project)) return ConfigurationError{"--project", project_id_syntax};
  const struct {
    const char* option;
    const std::string& text;
    Check check;
  } texts[] = {{"--socket", options.socket, wrong_with_socket},
               {"--upstream", options.upstream, wrong_with_socket},
               {"--state", options.state, wrong_with_path},
               {"--audit-log", options.audit_log, wrong_with_path}};
  for (const auto& [option, text, check] : texts) {
    if (text.empty()) continue;
    if (auto failure = check_text(text, option, check)) return *failure;
  }
  for (const auto& pattern : options.shared_images)
    if (auto failure = check_text(pattern, "--share-image", wrong_with_shared_image)) return *failure;
  if (!options.socket.empty() && options.socket == options.upstream)
    return ConfigurationError{"--socket", "must not be the socket of Podman (upstream)"};
  Configuration configuration{options.upstream, options.state, options.audit_log, {}};
  ProjectConfiguration& entry = configuration.projects.emplace_back();
  entry.project.id = options.project;
  entry.project.policy.shared_images = options.shared_images;
  entry.socket = options.socket;
  return configuration;
}

}  // namespace podfence::rules
