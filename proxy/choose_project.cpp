#include "proxy/choose_project.hpp"

#include <algorithm>

#include "proxy/load.hpp"
#include "proxy/log.hpp"
#include "proxy/places.hpp"

namespace podfence::proxy {

std::variant<rules::Configuration, int> load_unserved(const CommandLine& line) {
  auto loaded = load(line, false);
  auto* configuration = std::get_if<rules::Configuration>(&loaded);
  if (!configuration) return loaded;
  const Places places = Places::of_this_process();
  if (places.runtime().empty())  // nothing listens, so that any place will do
    for (auto& [served, socket, life] : configuration->projects)
      if (socket.empty()) socket = "/run/podfence/" + served.id + "/podman.sock";
  places.fill(*configuration);
  return loaded;
}

const rules::Project* find_project(const rules::Configuration& configuration, const std::string& id) {
  const auto& projects = configuration.projects;
  const auto found = std::ranges::find_if(projects, [&](const auto& each) { return each.project.id == id; });
  return found == projects.end() ? nullptr : &found->project;
}

const rules::Project* choose_project(const rules::Configuration& configuration, const std::string& id) {
  const auto& projects = configuration.projects;
  if (id.empty() && projects.size() == 1) return &projects.front().project;
  if (const auto* found = find_project(configuration, id)) return found;
  std::string known;
  for (const auto& each : projects) known += (known.empty() ? "" : ", ") + each.project.id;
  refuse_usage(id.empty() ? "--project says which one of the projects: " + known
                          : "the configuration has no project " + id + "; it has: " + known);
  return nullptr;
}

std::variant<rules::StatedObjects, int> read_facts(const std::string& path, const rules::Project& project) {
  if (path.empty()) return rules::StatedObjects();
  const auto [text, wrong] = read_file(path);
  auto objects = wrong.empty() ? rules::StatedObjects::read(path, text, project.label_key)
                               : rules::ConfigurationError{"", wrong, path};
  if (auto* stated = std::get_if<rules::StatedObjects>(&objects)) return std::move(*stated);
  log(rules::text_of(std::get<rules::ConfigurationError>(objects), path));
  return exit_configuration;
}

}  // namespace podfence::proxy
