#include "rules/configuration.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "rules/configuration_schema.hpp"
#include "rules/configuration_source.hpp"
#include "rules/configuration_text.hpp"
#include "rules/host_path.hpp"
#include "rules/json_pointer.hpp"

namespace podfence::rules {
namespace {

using ConfigurationFailure = std::optional<ConfigurationError>;
using json::extended;

/// A configuration while it is read, and what more projects are read by. Layers point into it.
struct Draft {
  Draft(Source text, const PolicyFiles& files) : source(std::move(text)), shelf(files) {}
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  Source source;
  PolicyShelf shelf;
  Configuration configuration = {};
};

/// What a single value may look like: configuration_text.hpp.
using TextCheck = const char* (*)(std::string_view);

ConfigurationFailure read_text(const Source& source, const std::string& where, TextCheck check, std::string& target) {
  const json::Value* value = json::find(source.value, where);
  if (value == nullptr) return std::nullopt;
  target = *value->string();
  if (const char* wrong = check(target)) return error_at(source, where, wrong);
  return std::nullopt;
}

ConfigurationFailure read_texts(Draft& draft) {
  auto& policies = draft.configuration.policies;
  const struct {
    const char* where;
    TextCheck check;
    std::string& target;
  } texts[] = {{"/upstream", wrong_with_socket, draft.configuration.upstream},
               {"/state", wrong_with_path, draft.configuration.state},
               {"/audit/to", wrong_with_audit_place, draft.configuration.audit.to},
               {"/admin", wrong_with_socket, draft.configuration.admin},
               {"/label", wrong_with_label_key, draft.configuration.label},
               {"/policies", wrong_with_path, policies}};
  for (const auto& [where, check, target] : texts)
    if (auto failure = read_text(draft.source, where, check, target)) return failure;
  if (!policies.empty()) draft.shelf.set_directory(policies);
  const json::Value* audit = draft.source.value.find("audit");
  draft.configuration.audit.bodies = audit && audit->text("bodies") == "redacted";
  return std::nullopt;
}

/// The policy that `layer` names, if it does.
std::variant<Layers, ConfigurationError> named_policy(Draft& draft, const Layer& layer) {
  const json::Value* name = layer.value->find("policy");
  if (name == nullptr) return Layers{};
  auto found = draft.shelf.find(*name->string());
  if (auto* error = std::get_if<ConfigurationError>(&found)) return std::move(*error);
  if (auto* wrong = std::get_if<std::string>(&found))
    return error_at(*layer.source, layer.at + "/policy", std::move(*wrong));
  const Source* source = std::get<const Source*>(found);
  return Layers{{source, "", &source->value}};
}

/// What a project says counts before the policy that it names, and that before `defaults`. The policy that `defaults`
/// name is the one of projects that name none.
std::variant<Layers, ConfigurationError> layers_of(Draft& draft, const Layer& project) {
  static const json::Value nothing = json::Value::object();
  const json::Value* said = draft.source.value.find("defaults");
  const Layer defaults{&draft.source, "/defaults", said ? said : &nothing};
  auto default_policy = named_policy(draft, defaults);
  if (auto* error = std::get_if<ConfigurationError>(&default_policy)) return std::move(*error);
  auto own_policy = named_policy(draft, project);
  if (auto* error = std::get_if<ConfigurationError>(&own_policy)) return std::move(*error);
  const auto& own = std::get<Layers>(own_policy);
  Layers layers = own.empty() ? std::get<Layers>(default_policy) : Layers{};
  layers.push_back(defaults);
  layers.insert(layers.end(), own.begin(), own.end());
  layers.push_back(project);
  return layers;
}

std::string for_project(const std::string& id) { return " (for the project " + id + ")"; }

/// A project as it was read.
struct ProjectDraft {
  ProjectConfiguration project;
  Layers layers;
};

std::variant<ProjectDraft, ConfigurationError> read_one_project(Draft& draft, const std::string& id,
                                                                const Layer& definition) {
  if (const char* wrong = wrong_with_project_id(id)) return error_at(*definition.source, definition.at, wrong);
  ProjectDraft result;
  auto& [project, socket, life] = result.project;
  project.id = id;
  project.label_key = draft.configuration.label;
  if (auto failure = read_text(*definition.source, definition.at + "/socket", wrong_with_socket, socket))
    return *std::move(failure);
  auto layers = layers_of(draft, definition);
  if (auto* error = std::get_if<ConfigurationError>(&layers)) return std::move(*error);
  result.layers = std::get<Layers>(std::move(layers));
  auto policy = policy_of(result.layers, for_project(id));
  if (auto* error = std::get_if<ConfigurationError>(&policy)) return std::move(*error);
  project.policy = std::get<Policy>(std::move(policy));
  auto read = read_life(*definition.value);
  if (auto* error = std::get_if<LifeError>(&read))
    return error_at(*definition.source, definition.at + error->where, std::move(error->what));
  life = std::get<Life>(std::move(read));
  return result;
}

/// What the projects around it let none have. A client of one project must never find another project's listener, or
/// Podman itself, at its own socket.
ConfigurationFailure check_socket(const Draft& draft, const ProjectDraft& one) {
  const auto& [source, at, value] = one.layers.back();
  const auto& socket = one.project.socket;
  if (socket.empty()) return std::nullopt;
  if (socket == draft.configuration.upstream)
    return error_at(*source, at + "/socket", "must not be the socket of Podman (upstream)");
  if (socket == draft.configuration.admin)
    return error_at(*source, at + "/socket", "must not be the operator's socket (admin)");
  for (const auto& listener : draft.configuration.control)
    if (socket == listener.socket)
      return error_at(*source, at + "/socket", "must not be the control plane's socket (control)");
  return std::nullopt;
}

/// Two projects may have the same directory, if their operator says so of both; none may hold another's path.
ConfigurationFailure check_workspaces_apart(const ProjectDraft& one, const ProjectConfiguration& other) {
  const auto& workspaces = one.project.project.policy.workspaces;
  const auto wrong = [&](std::size_t index, std::string what) {
    const auto& own = one.layers.back();
    return error_at(*own.source, own.at + "/workspace/" + std::to_string(index) + "/host", std::move(what));
  };
  for (std::size_t i = 0; i < workspaces.size(); ++i)
    for (const Workspace& beside : other.project.policy.workspaces) {
      const std::string whose = beside.host + ", a workspace of the project " + other.project.id;
      if (is_below(workspaces[i].host, beside.host))
        return wrong(i, "lies within " + whose + ", whose clients could put a symbolic link in its place");
      if (is_below(beside.host, workspaces[i].host))
        return wrong(i, "holds " + whose + ": clients could put a symbolic link in its place");
    }
  return std::nullopt;
}

std::string range_text(const Ports& ports) { return std::to_string(ports.first) + " to " + std::to_string(ports.last); }

/// What only one project can have: a socket, a range of ports, and a gate, on which whoever is on it meets the others.
ConfigurationFailure check_unshared(const ProjectDraft& one, const ProjectConfiguration& other) {
  const auto& [project, socket, life] = one.project;
  const std::string whose = for_project(project.id);
  const auto& own = one.layers.back();
  if (!socket.empty() && socket == other.socket)
    return error_at(*own.source, own.at + "/socket", "is the socket of the project " + other.project.id + " already");
  const Ports& ports = project.policy.ports;
  const Ports& taken = other.project.policy.ports;
  if (ports.own_range && taken.own_range && ports.first <= taken.last && taken.first <= ports.last)
    return error_within(
        one.layers, "/ports/first",
        "begins a range that overlaps with that of the project " + other.project.id + ", " + range_text(taken), whose);
  const std::string& gate = project.policy.network.egress.gate;
  if (!gate.empty() && gate == other.project.policy.network.egress.gate)
    return error_within(one.layers, "/network/gate", "is the gate of the project " + other.project.id + " already",
                        whose);
  return std::nullopt;
}

using Others = std::vector<const ProjectConfiguration*>;

ConfigurationFailure check_beside(const Draft& draft, const ProjectDraft& one, const Others& others) {
  if (auto failure = check_socket(draft, one)) return failure;
  for (const auto* other : others) {
    if (other->project.id == one.project.project.id) continue;  // whose place it takes
    for (const auto check : {check_workspaces_apart, check_unshared})
      if (auto failure = check(one, *other)) return failure;
  }
  return std::nullopt;
}

ConfigurationFailure read_projects(Draft& draft) {
  const json::Value* said = draft.source.value.find("projects");
  if (!said || said->members()->empty()) {
    if (!draft.configuration.admin.empty()) return std::nullopt;
    return error_at(draft.source, said ? "/projects" : "",
                    "must name a project, unless there is `admin`, the socket by which some are added");
  }
  Others others;
  draft.configuration.projects.reserve(said->members()->size());
  for (const auto& member : *said->members()) {
    auto read =
        read_one_project(draft, member.name, {&draft.source, extended("/projects", member.name), &member.value});
    if (auto* error = std::get_if<ConfigurationError>(&read)) return std::move(*error);
    auto& one = std::get<ProjectDraft>(read);
    if (auto failure = check_beside(draft, one, others)) return failure;
    if (const auto life = said_of_life(member.value))
      return error_at(
          draft.source, extended(extended("/projects", member.name), std::string(*life)),
          "is for projects that are added by the operator's socket; this one lives as long as it stands here");
    others.push_back(&draft.configuration.projects.emplace_back(std::move(one.project)));
  }
  return std::nullopt;
}

ConfigurationFailure read_http(Draft& draft) {
  const json::Value* said = draft.source.value.find("http");
  if (!said) return std::nullopt;
  auto limits = read_http_limits(*said);
  if (auto* error = std::get_if<HttpLimitError>(&limits))
    return error_at(draft.source, "/http" + error->where, std::move(error->what));
  draft.configuration.http = std::get<HttpLimits>(limits);
  return std::nullopt;
}

ConfigurationFailure read_control_plane(Draft& draft) {
  const json::Value* said = draft.source.value.find("control");
  if (!said) return std::nullopt;
  auto& configuration = draft.configuration;
  auto read = read_control(*said);
  if (auto* error = std::get_if<ControlError>(&read))
    return error_at(draft.source, "/control" + error->where, std::move(error->what));
  configuration.control = std::get<std::vector<ControlListener>>(std::move(read));
  for (std::size_t i = 0; i < configuration.control.size(); ++i)
    if (const auto& socket = configuration.control[i].socket;
        !socket.empty() && (socket == configuration.upstream || socket == configuration.admin))
      return error_at(draft.source, "/control/" + std::to_string(i) + "/socket",
                      "must be neither Podman's socket (upstream) nor the operator's (admin)");
  return std::nullopt;
}

ConfigurationFailure read_all(Draft& draft) {
  if (auto failure = read_texts(draft)) return failure;
  draft.configuration.removes_orphans = draft.source.value.text("orphans") == "remove";
  draft.configuration.watch = draft.source.value.flag("watch");
  draft.configuration.unconfined = draft.source.value.flag("insecure_unconfined");
  if (const auto* said = json::find(draft.source.value, "/metrics/labelled_projects"))
    draft.configuration.labelled_projects = static_cast<std::size_t>(said->int64().value_or(0));
  if (auto failure = read_http(draft)) return failure;
  if (auto failure = read_control_plane(draft)) return failure;
  return read_projects(draft);
}

ConfigurationFailure check_option(const char* option, const std::string& text, TextCheck check) {
  if (const char* wrong = check(text)) return {{option, wrong}};
  return std::nullopt;
}

ConfigurationFailure check_options(const ServeOptions& options) {
  if (auto failure = check_option("--project", options.project, wrong_with_project_id)) return failure;
  const struct {
    const char* option;
    const std::string& text;
    TextCheck check;
  } texts[] = {{"--socket", options.socket, wrong_with_socket},
               {"--upstream", options.upstream, wrong_with_socket},
               {"--state", options.state, wrong_with_path},
               {"--audit-log", options.audit_log, wrong_with_audit_place}};
  for (const auto& [option, text, check] : texts) {
    if (text.empty()) continue;
    if (auto failure = check_option(option, text, check)) return failure;
  }
  for (const auto& pattern : options.shared_images)
    if (auto failure = check_option("--share-image", pattern, wrong_with_shared_image)) return failure;
  if (!options.socket.empty() && options.socket == options.upstream)
    return {{"--socket", "must not be the socket of Podman (upstream)"}};
  return std::nullopt;
}

std::variant<Policy, ConfigurationError> policy_of(const ServeOptions& options, const PolicyFiles& files) {
  if (options.policy.empty()) return Policy{};
  if (auto wrong = PolicyShelf::wrong_with_name(options.policy); !wrong.empty())
    return ConfigurationError{"--policy", std::move(wrong)};
  PolicyShelf shelf(files);
  auto found = shelf.find(options.policy);
  if (auto* error = std::get_if<ConfigurationError>(&found)) return std::move(*error);
  if (auto* wrong = std::get_if<std::string>(&found))
    return ConfigurationError{"--policy", std::move(*wrong), "the command line"};
  const Source* source = std::get<const Source*>(found);
  return policy_of(Layers{{source, "", &source->value}}, "");
}

/// "images.shared" is /images/shared.
std::string pointer_of(std::string_view key) {
  std::string pointer = "/" + std::string(key);
  std::ranges::replace(pointer, '.', '/');
  return pointer;
}

/// In the highest layer that says it; where none does, in the highest of all.
PolicyPlace place_within(const Layers& layers, std::string_view key) {
  const std::string pointer = pointer_of(key);
  const Layer* layer = &layers.back();
  for (const Layer& each : layers)
    if (json::find(*each.value, pointer)) layer = &each;
  const std::string where = layer->at + pointer;
  return {layer->source->file, json::line_of(layer->source->plain, where), where,
          json::find(*layer->value, pointer) != nullptr};
}

}  // namespace

PolicyPlace policy_place(std::string_view text, const PolicyFiles& files, const std::string& project,
                         std::string_view key) {
  static const json::Schema schema(configuration_schema);
  Draft draft(std::get<Source>(read_source("", text, schema)), files);
  if (auto failure = read_texts(draft)) return {};
  const std::string at = extended("/projects", project);
  const auto layers = layers_of(draft, {&draft.source, at, json::find(draft.source.value, at)});
  return place_within(std::get<Layers>(layers), key);
}

PolicyPlace policy_place(const ServeOptions& options, const PolicyFiles& files, std::string_view key) {
  if (key == "workspace") return {"", 0, "--config", false};  // no policy file may have it
  if (key == "images.shared" && (!options.shared_images.empty() || options.policy.empty()))
    return {"", 0, "--share-image", !options.shared_images.empty()};
  if (options.policy.empty()) return {"", 0, "--policy", false};
  PolicyShelf shelf(files);
  const Source* source = std::get<const Source*>(shelf.find(options.policy));
  return place_within({{source, "", &source->value}}, key);
}

struct ConfigurationBase::State {
  State(Source text, const PolicyFiles& files) : draft(std::move(text), files) {}
  Draft draft;
};

ConfigurationBase::ConfigurationBase(std::unique_ptr<State> state) : state_(std::move(state)) {}
ConfigurationBase::ConfigurationBase(ConfigurationBase&&) noexcept = default;
ConfigurationBase& ConfigurationBase::operator=(ConfigurationBase&&) noexcept = default;
ConfigurationBase::~ConfigurationBase() = default;

std::variant<ConfigurationBase, ConfigurationError> ConfigurationBase::read(std::string_view text,
                                                                            const PolicyFiles& files) {
  static const json::Schema schema(configuration_schema);
  auto source = read_source("", text, schema);
  if (auto* error = std::get_if<ConfigurationError>(&source)) return std::move(*error);
  auto state = std::make_unique<State>(std::get<Source>(std::move(source)), files);
  if (auto failure = read_all(state->draft)) return *std::move(failure);
  return ConfigurationBase(std::move(state));
}

const Configuration& ConfigurationBase::configuration() const { return state_->draft.configuration; }
std::vector<std::string> ConfigurationBase::policy_paths() const { return state_->draft.shelf.paths(); }

std::variant<ProjectConfiguration, ConfigurationError> ConfigurationBase::read_project(
    const std::string& id, const json::Value& definition, const std::vector<const ProjectConfiguration*>& others) {
  static const json::Schema schema(configuration_schema, "project");
  const auto source = read_source("", json::write(definition), schema);
  if (const auto* error = std::get_if<ConfigurationError>(&source)) return *error;
  const auto& own = std::get<Source>(source);
  auto read = read_one_project(state_->draft, id, {&own, "", &own.value});
  if (auto* error = std::get_if<ConfigurationError>(&read)) return std::move(*error);
  auto& one = std::get<ProjectDraft>(read);
  if (auto failure = check_beside(state_->draft, one, others)) return *std::move(failure);
  return std::move(one.project);
}

std::optional<PolicyPlace> ConfigurationBase::place(const std::string& id, const json::Value* definition,
                                                    std::string_view key) {
  auto& draft = state_->draft;
  const std::string at = definition ? "" : extended("/projects", id);
  const auto* value = definition ? definition : json::find(draft.source.value, at);
  if (!value) return std::nullopt;
  const Source added{"the definition of the project " + id, "", *value};
  const auto layers = layers_of(draft, {definition ? &added : &draft.source, at, value});
  if (std::holds_alternative<ConfigurationError>(layers)) return std::nullopt;
  auto place = place_within(std::get<Layers>(layers), key);
  if (place.file == added.file) place.line = 0;
  return place;
}

std::variant<Configuration, ConfigurationError> read_configuration(std::string_view text, const PolicyFiles& files) {
  auto base = ConfigurationBase::read(text, files);
  if (auto* error = std::get_if<ConfigurationError>(&base)) return std::move(*error);
  return std::get<ConfigurationBase>(base).configuration();
}

std::variant<Configuration, ConfigurationError> configuration_of(const ServeOptions& options,
                                                                 const PolicyFiles& files) {
  if (auto failure = check_options(options)) return *std::move(failure);
  auto policy = policy_of(options, files);
  if (auto* error = std::get_if<ConfigurationError>(&policy)) return std::move(*error);
  Configuration configuration{options.upstream, options.state, {}, {}, {}};
  if (!options.audit_log.empty()) configuration.audit.to = options.audit_log;
  ProjectConfiguration& entry = configuration.projects.emplace_back();
  entry.project.id = options.project;
  entry.project.policy = std::get<Policy>(std::move(policy));
  if (!options.shared_images.empty()) entry.project.policy.shared_images = options.shared_images;
  entry.socket = options.socket;
  return configuration;
}

}  // namespace podfence::rules
