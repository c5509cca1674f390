#include "proxy/explain_command.hpp"

#include <iostream>
#include <iterator>
#include <stdexcept>

#include "proxy/choose_project.hpp"
#include "proxy/explain.hpp"
#include "proxy/load.hpp"
#include "proxy/probe.hpp"

namespace podfence::proxy {
namespace {

using namespace std::chrono_literals;

std::string read_request(const std::string& path) {
  if (path.empty() || path == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  auto [text, wrong] = read_file(path);
  if (!wrong.empty()) throw std::runtime_error(path + ": " + wrong);
  return std::move(text);
}

std::string source_note(const CommandLine& line) {
  if (!line.options.upstream.empty()) return "what exists was asked of Podman on " + line.options.upstream;
  if (!line.facts.empty()) return "what exists is what " + line.facts + " states";
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
  const auto loaded = load_unserved(line);
  if (const int* code = std::get_if<int>(&loaded)) return *code;
  const auto& configuration = std::get<rules::Configuration>(loaded);
  const auto* project = choose_project(configuration, line.options.project);
  if (!project) return exit_usage;
  const auto facts = read_facts(line.facts, *project);
  if (const int* code = std::get_if<int>(&facts)) return *code;
  const auto& upstream = line.options.upstream;
  if (!upstream.empty())
    if (const auto wrong = wrong_with_engine(upstream, 10s); !wrong.empty())
      throw std::runtime_error("Podman does not answer on " + upstream + " (" + wrong + ")");
  const FactSources sources{upstream.empty() ? &std::get<rules::StatedObjects>(facts) : nullptr, upstream,
                            configuration.state + "/ledger.sqlite"};
  return print(explain(*project, raw_request(read_request(line.explain.request)), sources), line);
}

}  // namespace podfence::proxy
