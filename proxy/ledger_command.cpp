#include "proxy/ledger_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <stdexcept>

#include "proxy/ledger_repair.hpp"
#include "proxy/load.hpp"
#include "proxy/log.hpp"
#include "proxy/places.hpp"
#include "proxy/probe.hpp"
#include "proxy/run_alone.hpp"
#include "rules/error_answer.hpp"
#include "rules/fetched_image.hpp"

namespace podfence::proxy {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using rules::LedgerEntries;
using rules::LedgerEntry;

/// What a command line means.
struct Place {
  std::string ledger;    ///< file
  std::string upstream;  ///< Podman's socket
  std::string label_key;
};

Place place_of(const rules::Configuration& configuration) {
  const Places places = Places::of_this_process();
  const auto& state = configuration.state;
  const auto& upstream = configuration.upstream;
  return {
      (state.empty() ? places.state() : state) + "/ledger.sqlite", upstream.empty() ? places.podman_socket() : upstream,
      configuration.projects.empty() ? rules::Project{}.label_key : configuration.projects.front().project.label_key};
}

/// Also without a project: all are meant.
std::variant<rules::Configuration, int> load_place(CommandLine line) {
  if (line.options.project.empty()) line.options.project = "any";
  return load(line, false);
}

void check_there(const std::string& path) {
  if (access(path.c_str(), F_OK) != 0)
    throw std::runtime_error("there is no ledger " + path +
                             ": nothing was recorded, or it is elsewhere (--state, --config)");
}

SqliteLedger open_alone(const std::string& path) try {
  check_there(path);
  return SqliteLedger(path);
} catch (const LedgerInUse&) {
  throw std::runtime_error("the ledger " + path +
                           " is in use by a podfence that serves, and would not see the change; end that one first");
}

LedgerEntries of_project(LedgerEntries entries, const std::string& project) {
  if (!project.empty()) std::erase_if(entries, [&](const LedgerEntry& entry) { return entry.project != project; });
  return entries;
}

LedgerEntries read_entries(const Place& place, const std::string& project) {
  check_there(place.ledger);
  return of_project(SqliteLedger::entries_of(place.ledger), project);
}

int print(const LedgerEntries& entries, bool json) {
  std::cout << (json ? rules::ledger_json(entries) : rules::ledger_table(entries));
  return exit_ok;
}

int list(const CommandLine& line, const Place& place) {
  return print(read_entries(place, line.options.project), line.ledger.json);
}

[[noreturn]] void refuse_unknown(const std::string& word, const std::string& project) {
  throw std::runtime_error("the ledger has nothing that is called " + word +
                           (project.empty() ? "" : " and is of the project " + project));
}

int show(const CommandLine& line, const Place& place) {
  const auto entries = read_entries(place, line.options.project);
  LedgerEntries found;
  for (const auto& word : line.ledger.words) {
    const auto called = rules::entries_called(entries, word);
    if (called.empty()) refuse_unknown(word, line.options.project);
    found.insert(found.end(), called.begin(), called.end());
  }
  return print(found, line.ledger.json);
}

/// The rows that the words mean, each one thing; without words all.
LedgerEntries chosen(const LedgerEntries& entries, const CommandLine& line) {
  const auto& project = line.options.project;
  if (line.ledger.words.empty() && entries.empty())
    throw std::runtime_error("the ledger has nothing of the project " + project);
  if (line.ledger.words.empty()) return entries;
  LedgerEntries result;
  for (const auto& word : line.ledger.words) {
    const auto called = rules::entries_called(entries, word);
    if (called.empty()) refuse_unknown(word, project);
    if (called.size() > 1)
      throw std::runtime_error(word + " may mean " + called[0].what + " or " + called[1].what + "; say which");
    result.push_back(called.front());
  }
  return result;
}

void drop(SqliteLedger& ledger, const CommandLine& line, const LedgerEntries& entries) {
  std::vector<rules::Claim> claims;
  for (const auto& entry : entries) claims.push_back(rules::drop_of(entry));
  if (line.ledger.words.empty()) claims.push_back({rules::Claim::Change::RenewCacheKey});
  ledger.apply(line.options.project, claims);
}

int forget(const CommandLine& line, const Place& place) {
  if (!line.ledger.yes) {
    print(chosen(read_entries(place, line.options.project), line), line.ledger.json);
    return refuse_usage("nothing was forgotten: --yes forgets what is listed");
  }
  auto ledger = open_alone(place.ledger);
  const auto entries = chosen(of_project(ledger.entries(), line.options.project), line);
  drop(ledger, line, entries);
  print(entries, line.ledger.json);
  log("forgotten: " + std::to_string(entries.size()) + " entries of the project " + line.options.project +
      "; what they were about is still in Podman");
  return exit_ok;
}

rules::EngineInventory ask_engine(const Place& place) {
  if (const auto wrong = wrong_with_engine(place.upstream, 10s); !wrong.empty())
    throw std::runtime_error("Podman does not answer on " + place.upstream + " (" + wrong +
                             "); --upstream names its socket");
  const Limits limits;
  asio::io_context context(1);
  Upstream upstream(context.get_executor(), connect_to_socket(place.upstream));
  BufferBudget buffers(limits.buffered_bytes, limits.buffered_bytes);
  std::optional<std::variant<rules::EngineInventory, rules::Deny>> answer;
  const auto ask = [&]() -> Task<void> {
    answer = co_await take_inventory(upstream, buffers, limits.answer_bytes, place.label_key);
  };
  run_alone(context, ask());
  if (const auto* deny = std::get_if<rules::Deny>(&*answer))
    throw std::runtime_error(rules::error_message(rules::error_answer(*deny, rules::Family::Docker).content));
  return std::get<rules::EngineInventory>(*std::move(answer));
}

int repair(const CommandLine& line, const Place& place) {
  std::optional<SqliteLedger> ledger;
  if (!line.ledger.dry_run) ledger.emplace(open_alone(place.ledger));
  if (line.ledger.dry_run) check_there(place.ledger);
  const auto engine = ask_engine(place);
  const auto entries = ledger ? ledger->entries() : SqliteLedger::entries_of(place.ledger);
  const auto found = rules::find_repair(entries, engine, {.careful = false});
  if (ledger) apply(*ledger, found);
  for (const auto& text : texts_of(found)) std::cout << text << '\n';
  log(std::to_string(found.findings.size()) + " of " + std::to_string(entries.size()) + " entries " +
      (line.ledger.dry_run ? "would change" : "changed"));
  return exit_ok;
}

}  // namespace

int ledger(const CommandLine& line) {
  using Action = CommandLine::Ledger::Action;
  if (line.ledger.action == Action::Help) {
    std::cout << ledger_usage();
    return exit_ok;
  }
  const auto loaded = load_place(line);
  if (const int* code = std::get_if<int>(&loaded)) return *code;
  const auto place = place_of(std::get<rules::Configuration>(loaded));
  switch (line.ledger.action) {
    case Action::List:
      return list(line, place);
    case Action::Show:
      return show(line, place);
    case Action::Forget:
      return forget(line, place);
    case Action::Repair:
      return repair(line, place);
    case Action::Help:
      break;
  }
  return exit_usage;
}

std::string_view ledger_usage() {
  return R"(NAME
  podfence ledger - who holds which images, names and secrets, and how to put that right

SYNOPSIS
  podfence ledger list   [--project ID] [--format table|json] [place]
  podfence ledger show   [--project ID] [--format table|json] [place] ID|NAME...
  podfence ledger forget --project ID [--yes] [--format table|json] [place] [ID|NAME]...
  podfence ledger repair [--dry-run] [--upstream PATH] [place]

DESCRIPTION
  Images can carry any label, so podfence records which project got which image, which names are whose, and whose a
  secret is. What is not in this record does not exist for a project.

  list     What is recorded: a line for each image, tag (name) and secret of each project.
  show     The lines about one thing: who holds it, since when, and by which way it came.
  forget   Takes things away from a project: those that are named, or all that it has. Podman keeps them. Without
           --yes nothing changes, and what would be forgotten is listed. An image can be found again by a name that
           the project gave it: forget that too.
  repair   Compares the record with what Podman has, as podfence serve does when it starts: drops what is gone, and
           names that were never pulled to their end; records images that a project has made under a name of its own
           when podfence was killed before it could. Names younger than ten minutes are kept.

  list, show, forget without --yes and repair --dry-run read, and may be used while podfence serves. What changes
  something is refused meanwhile: the one that serves would not see it.

OPTIONS
  ID|NAME            a full id, its first digits (12 or more), or a name as clients write it
  --project ID       only this project
  --format           table (default) or json
  --yes              forget, do not ask
  --dry-run          say what a repair would do, and do nothing
  --upstream PATH    Podman's socket; default that of --config, or $XDG_RUNTIME_DIR/podman/podman.sock
  place:
  --config FILE      the ledger of the podfence that serves by this file
  --state DIR        the ledger in this directory; default $XDG_STATE_HOME/podfence or ~/.local/state/podfence

EXIT STATUS
  0 done; 1 there is no such thing, or the ledger is in use, damaged or absent, or Podman does not answer;
  2 wrong usage, or --yes is missing; 3 the configuration is wrong
)";
}

}  // namespace podfence::proxy
