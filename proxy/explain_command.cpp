#include "proxy/explain_command.hpp"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <stdexcept>

#include "proxy/explain.hpp"
#include "proxy/load.hpp"
#include "proxy/log.hpp"
#include "proxy/places.hpp"
#include "proxy/probe.hpp"

namespace podfence::proxy {
namespace {

using namespace std::chrono_literals;
using Stated = std::variant<rules::StatedObjects, int>;

std::string read_request(const std::string& path) {
  if (path.empty() || path == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  auto [text, wrong] = read_file(path);
  if (!wrong.empty()) throw std::runtime_error(path + ": " + wrong);
  return std::move(text);
}

/// What the line says exists, or the exit code after the reason was told.
Stated read_facts(const std::string& path, const rules::Project& project) {
  if (path.empty()) return rules::StatedObjects();
  const auto [text, wrong] = read_file(path);
  auto objects = wrong.empty() ? rules::StatedObjects::read(path, text, project.label_key)
                               : rules::ConfigurationError{"", wrong, path};
  if (auto* stated = std::get_if<rules::StatedObjects>(&objects)) return std::move(*stated);
  log(rules::text_of(std::get<rules::ConfigurationError>(objects), path));
  return exit_configuration;
}

/// The project of that id, or the only one; nullptr after the reason was told.
const rules::Project* choose_project(const rules::Configuration& configuration, const std::string& id) {
  const auto& projects = configuration.projects;
  if (id.empty() && projects.size() == 1) return &projects.front().project;
  const auto found = std::ranges::find_if(projects, [&](const auto& each) { return each.project.id == id; });
  if (found != projects.end()) return &found->project;
  std::string known;
  for (const auto& each : projects) known += (known.empty() ? "" : ", ") + each.project.id;
  refuse_usage(id.empty() ? "--project says which one of the projects: " + known
                          : "the configuration has no project " + id + "; it has: " + known);
  return nullptr;
}

std::string source_note(const CommandLine& line) {
  if (!line.options.upstream.empty()) return "what exists was asked of Podman on " + line.options.upstream;
  if (!line.explain.facts.empty()) return "what exists is what " + line.explain.facts + " states";
  return "nothing is known of what exists (--facts, --upstream): what the request names counts as missing";
}

void add_place(rules::Trace& trace, const CommandLine& line) {
  if (trace.policy.empty()) return;
  trace.place = line.configuration_file.empty() ? rules::policy_place(line.options, policy_files(), trace.policy)
                                                : rules::policy_place(read_file(line.configuration_file).text,
                                                                      policy_files(), trace.project, trace.policy);
}

int print(std::vector<rules::Trace> traces, const CommandLine& line) {
  bool refused = false;
  for (auto& trace : traces) {
    if (!trace.references.empty()) trace.notes.push_back(source_note(line));
    add_place(trace, line);
    refused |= rules::is_refused(trace);
    if (line.explain.json)
      std::cout << rules::trace_json(trace, line.configuration_file) << '\n';
    else
      std::cout << (&trace == &traces.front() ? "" : "\n") << rules::trace_text(trace, line.configuration_file);
  }
  return refused ? exit_refused : exit_ok;
}

}  // namespace

int explain(const CommandLine& line) {
  auto loaded = load(line, false);
  if (const int* code = std::get_if<int>(&loaded)) return *code;
  auto& configuration = std::get<rules::Configuration>(loaded);
  const Places places = Places::of_this_process();
  if (places.runtime().empty())  // nothing listens, so that any place will do
    for (auto& [served, socket] : configuration.projects)
      if (socket.empty()) socket = "/run/podfence/" + served.id + "/podman.sock";
  places.fill(configuration);
  const auto* project = choose_project(configuration, line.options.project);
  if (!project) return exit_usage;
  const auto facts = read_facts(line.explain.facts, *project);
  if (const int* code = std::get_if<int>(&facts)) return *code;
  const auto& upstream = line.options.upstream;
  if (!upstream.empty())
    if (const auto wrong = wrong_with_engine(upstream, 10s); !wrong.empty())
      throw std::runtime_error("Podman does not answer on " + upstream + " (" + wrong + ")");
  const FactSources sources{upstream.empty() ? &std::get<rules::StatedObjects>(facts) : nullptr, upstream,
                            configuration.state + "/ledger.sqlite"};
  return print(explain(*project, raw_request(read_request(line.explain.request)), sources, configuration.http), line);
}

}  // namespace podfence::proxy
