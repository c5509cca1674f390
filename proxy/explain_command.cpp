#include "proxy/explain_command.hpp"

#include <iostream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "proxy/choose_project.hpp"
#include "proxy/explain.hpp"
#include "proxy/load.hpp"
#include "proxy/log.hpp"
#include "proxy/probe.hpp"
#include "rules/audit_replay.hpp"

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

void print(rules::Trace& trace, const CommandLine& line, bool first) {
  if (!trace.references.empty()) trace.notes.push_back(source_note(line));
  add_place(trace, line);
  if (line.explain.json)
    std::cout << rules::trace_json(trace, line.configuration_file) << '\n';
  else
    std::cout << (first ? "" : "\n") << rules::trace_text(trace, line.configuration_file);
}

int print(std::vector<rules::Trace> traces, const CommandLine& line) {
  bool refused = false;
  for (auto& trace : traces) {
    print(trace, line, &trace == &traces.front());
    refused |= rules::is_refused(trace);
  }
  return refused ? exit_refused : exit_ok;
}

/// What explanations have in common.
struct Scene {
  const CommandLine& line;
  const rules::Configuration& configuration;

  std::variant<std::vector<rules::Trace>, int> explain(const rules::Project& project, const RawRequest& request) const {
    const auto facts = read_facts(line.facts, project);
    if (const int* code = std::get_if<int>(&facts)) return *code;
    const auto& upstream = line.options.upstream;
    const FactSources sources{upstream.empty() ? &std::get<rules::StatedObjects>(facts) : nullptr, upstream,
                              configuration.state + "/ledger.sqlite"};
    return proxy::explain(project, request, sources, configuration.http);
  }
};

/// The lines of an audit log, one after the other.
class FromAudit {
 public:
  explicit FromAudit(const Scene& scene) : scene_(scene) {}

  void explain(const std::string& text) {
    ++number_;
    if (text.empty()) return;
    read_ = true;
    auto record = rules::read_audit_line(text);
    if (const auto* wrong = std::get_if<std::string>(&record)) return give_up(*wrong);
    explain(std::get<rules::AuditRecord>(std::move(record)));
  }

  int end() {
    if (!read_) log("no line of the audit log was read");
    return exit_code();
  }

 private:
  int exit_code() const {
    return failed_ || !read_ ? exit_failure : differs_ ? exit_differs : refused_ ? exit_refused : exit_ok;
  }

  void explain(rules::AuditRecord record) {
    const auto& only = scene_.line.options.project;
    if (!only.empty() && record.project != only) return;
    if (record.project.empty()) return give_up("it names no project");
    const auto* project = find_project(scene_.configuration, record.project);
    if (!project) return give_up("the configuration has no project " + record.project);
    auto request = rules::request_of(record);
    if (const auto* why = std::get_if<std::string>(&request))
      return give_up("it cannot be made a request again: " + *why);
    auto& [bytes, missing] = std::get<rules::AuditedRequest>(request);
    auto explained = scene_.explain(*project, {bytes, {}});
    if (std::holds_alternative<int>(explained)) return give_up("the facts cannot be read");
    auto& trace = std::get<std::vector<rules::Trace>>(explained).front();
    if (scene_.line.options.upstream.empty() && scene_.line.facts.empty() && !trace.references.empty())
      missing.emplace_back("what existed, and does now: Podman was not asked (--upstream)");
    trace.recorded = rules::Recorded{std::move(record), std::move(missing)};
    differs_ |= rules::compared(trace) == rules::Comparison::Other;
    refused_ |= rules::is_refused(trace);
    print(trace, scene_.line, std::exchange(first_, false));
  }

  void give_up(const std::string& why) {
    log("line " + std::to_string(number_) + ": " + why);
    failed_ = true;
  }

  const Scene& scene_;
  std::size_t number_ = 0;
  bool first_ = true, read_ = false, failed_ = false, differs_ = false, refused_ = false;
};

int explain_audit(const Scene& scene) {
  FromAudit audit(scene);
  std::istringstream given(scene.line.explain.audit);
  std::istream& lines = scene.line.explain.audit == "-" ? std::cin : given;
  for (std::string text; std::getline(lines, text);) audit.explain(text);
  return audit.end();
}

}  // namespace

int explain(const CommandLine& line) {
  const auto loaded = load_unserved(line);
  if (const int* code = std::get_if<int>(&loaded)) return *code;
  const auto& configuration = std::get<rules::Configuration>(loaded);
  const bool from_audit = !line.explain.audit.empty();
  const bool of_all = from_audit && line.options.project.empty();
  const auto* project = of_all ? nullptr : choose_project(configuration, line.options.project);
  if (!project && !of_all) return exit_usage;
  const auto& upstream = line.options.upstream;
  if (!upstream.empty())
    if (const auto wrong = wrong_with_engine(upstream, 10s); !wrong.empty())
      throw std::runtime_error("Podman does not answer on " + upstream + " (" + wrong + ")");
  const Scene scene{line, configuration};
  if (from_audit) return explain_audit(scene);
  auto traces = scene.explain(*project, raw_request(read_request(line.explain.request)));
  if (const int* code = std::get_if<int>(&traces)) return *code;
  return print(std::get<std::vector<rules::Trace>>(std::move(traces)), line);
}

}  // namespace podfence::proxy
