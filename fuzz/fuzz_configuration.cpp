// The text of a configuration. What is accepted opens nothing without the word for it, is closed against the host and
// between projects; what is refused says where; and reading is a function of the text.

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "fuzz/fuzz.hpp"
#include "fuzz/json_mutator.hpp"
#include "rules/body/address.hpp"
#include "rules/configuration.hpp"
#include "rules/configuration_text.hpp"
#include "rules/host_path.hpp"
#include "rules/json_pointer.hpp"

using namespace podfence;
using namespace podfence::rules;
using fuzz::claim;

namespace {

std::string text_of_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// The profiles, and two that are not right.
const std::map<std::string, std::string>& policy_texts() {
  static const auto texts = [] {
    std::map<std::string, std::string> all;
    for (const auto* name : {"builder", "ci-runner", "control-plane", "read-only"})
      all["/policies/" + std::string(name) + ".json"] =
          text_of_file(PODFENCE_SOURCE_DIR "/deploy/profiles/" + std::string(name) + ".json");
    all["/policies/open.json"] = R"({"insecure_bind_subpaths": true, "ports": {"first": 1, "last": 2}})";
    all["/policies/wrong.json"] = R"({"limits": {"memory": {"most": "1t"}}})";
    return all;
  }();
  return texts;
}

PolicyFiles policy_files() {
  return {"/policies", [](const std::string& path) -> FileText {
            const auto place = policy_texts().find(path);
            if (place == policy_texts().end()) return {"", "cannot be read"};
            return {place->second};
          }};
}

void check_limits(const Policy& policy) {
  for (const AmountRow& row : amount_rows) {
    const Limit& limit = policy.limit(row.amount);
    const auto in_order = [](const auto& low, const auto& high) { return !low || !high || *low <= *high; };
    claim(in_order(limit.least, limit.standard) && in_order(limit.standard, limit.most) &&
              in_order(limit.least, limit.most),
          "least, default and most are in order", row.key);
    claim(in_order(limit.most, row.built_in.most) && (limit.most || !row.built_in.most),
          "no limit is wider than what is built in", row.key);
    for (const auto& bound : {limit.least, limit.standard, limit.most})
      claim(!bound || *bound > 0, "no limit is Podman's word for none", row.key);
  }
  for (const ResourceRow& row : resource_rows)
    claim(!row.built_in || policy.quota(row.resource).value_or(-1) >= 0, "a quota that is built in stays one", row.key);
}

void check_workspaces(const Configuration& configuration) {
  for (const auto& one : configuration.projects)
    for (const auto& workspace : one.project.policy.workspaces) {
      claim(!wrong_with_workspace_host(workspace.host), "a workspace is no directory of the system", workspace.host);
      for (const auto& other : configuration.projects)
        for (const auto& outer : other.project.policy.workspaces)
          claim(!is_below(workspace.host, outer.host), "no workspace within another", workspace.host);
    }
}

void check_sockets(const Configuration& configuration) {
  const auto& projects = configuration.projects;
  for (const auto& one : projects) {
    claim(is_project_id(one.project.id), "a project has an id", one.project.id);
    if (one.socket.empty()) continue;
    claim(!wrong_with_socket(one.socket), "a socket has a path", one.socket);
    claim(one.socket != configuration.upstream && one.socket != configuration.admin, "a socket of its own", one.socket);
    claim(std::ranges::count(projects, one.socket, &ProjectConfiguration::socket) == 1, "one project a socket",
          one.socket);
  }
}

/// The texts that the configuration is made of.
bool is_said(std::string_view text, std::string_view word) {
  return text.find(word) != text.npos || std::ranges::any_of(policy_texts(), [&](const auto& policy) {
           return text.find(policy.first.substr(10, policy.first.size() - 15)) != text.npos &&
                  policy.second.find(word) != std::string::npos;
         });
}

void check_policy(const Policy& policy, std::string_view text) {
  check_limits(policy);
  // A word may be written with escapes.
  if (text.find('\\') == text.npos)
    for (const auto opening : openings(policy))
      claim(is_said(text, opening), "an opening is called by its name", opening);
  for (const auto& pattern : policy.shared_images) {
    const auto registry = std::string_view(pattern).substr(0, pattern.find('/'));
    claim(registry.find('*') == registry.npos && registry.size() + 1 < pattern.size(), "no pattern for every registry",
          pattern);
  }
  claim(policy.ports.first >= 1 && policy.ports.first <= policy.ports.last && policy.ports.last <= 65535, "ports");
  claim(policy.network.egress.gate.empty() || !policy.network.egress.open, "a gate is the only way out");
  for (const auto& range : policy.network.subnets)
    claim(is_private_range(parse_subnet(range).value()), "subnets of private addresses", range);
  for (const auto& [name, value] : policy.environment)
    claim(!name.empty() && name.find('=') == name.npos && value.find('\0') == value.npos, "an environment", name);
}

void check_error(const ConfigurationError& error, std::string_view text) {
  claim(!error.what.empty(), "an error says what");
  const auto place = policy_texts().find(error.file);
  claim(error.file.empty() || place != policy_texts().end(), "an error lies in a file", error.file);
  const std::string_view source = error.file.empty() ? text : std::string_view(place->second);
  const auto lines = static_cast<std::size_t>(std::ranges::count(source, '\n')) + 1;
  claim(error.line >= 1 && error.line <= lines, "an error has a line", text_of(error, "configuration"));
  claim(error.where.empty() || error.where.starts_with('/'), "an error has a pointer", error.where);
}

/// One text for all that was read.
std::string digest(const std::variant<Configuration, ConfigurationError>& result) {
  if (const auto* error = std::get_if<ConfigurationError>(&result)) return text_of(*error, "configuration");
  const auto& read = std::get<Configuration>(result);
  std::string text = read.upstream + "\n" + read.state + "\n" + read.audit.to + "\n" + read.admin + "\n";
  for (const auto& [project, socket, life] : read.projects) {
    const auto& policy = project.policy;
    text += project.id + " " + project.label_key + " " + socket + " " + policy.network.egress.gate;
    for (const auto& image : policy.shared_images) text += " " + image;
    for (const auto& range : policy.network.subnets) text += " " + range;
    for (const auto& workspace : policy.workspaces) text += " " + workspace.client + "=" + workspace.host;
    for (const auto& capability : policy.privileges.capabilities) text += " " + capability;
    for (const auto& limit : policy.limits)
      for (const auto& bound : {limit.least, limit.standard, limit.most})
        text += " " + std::to_string(bound.value_or(-1));
    for (const auto& quota : policy.quotas) text += " " + std::to_string(quota.value_or(-1));
  }
  for (const auto& opening : opening_texts(read)) text += "\n" + opening;
  return text;
}

}  // namespace

std::size_t fuzz::json_begins(std::string_view) { return 0; }

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const auto plain = strip_comments(text);
  if (const auto* stripped = std::get_if<std::string>(&plain))
    claim(stripped->size() == text.size() && std::ranges::count(*stripped, '\n') == std::ranges::count(text, '\n'),
          "without comments everything is where it was");
  const auto result = read_configuration(text, policy_files());
  claim(digest(result) == digest(read_configuration(text, policy_files())), "the same text reads the same");
  if (const auto* error = std::get_if<ConfigurationError>(&result)) {
    check_error(*error, text);
    return 0;
  }
  const auto& configuration = std::get<Configuration>(result);
  claim(!configuration.projects.empty() || !configuration.admin.empty(), "there is a project, or can be one");
  check_sockets(configuration);
  check_workspaces(configuration);
  for (const auto& [project, socket, life] : configuration.projects) {
    claim(!wrong_with_label_key(project.label_key), "the label's key", project.label_key);
    check_policy(project.policy, text);
    for (const AmountRow& row : amount_rows)
      (void)policy_place(text, policy_files(), project.id, "limits." + std::string(row.key));
  }
  return 0;
}
