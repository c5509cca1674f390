// Manual pages and completions are made of these texts (deploy/package/pages): terms begin in the third column, what
// commands mean in the 45th, what options mean in the 26th.
#include "proxy/help.hpp"

#include <algorithm>
#include <array>

namespace podfence::proxy {
namespace {

constexpr std::string_view program_summary =
    R"(podfence - lets many projects share one rootless Podman, each seeing only its own things
)";

constexpr std::string_view serve_options =
    R"(Options of serve (paths are absolute):
  --policy NAME|FILE     what the project may do: builder, control-plane, ci-runner, read-only, or a policy file
  --socket PATH          where clients connect; default $XDG_RUNTIME_DIR/podfence/ID/podman.sock
  --upstream PATH        Podman's socket; default $XDG_RUNTIME_DIR/podman/podman.sock, and where nothing
                         answers there podfence starts a Podman service of its own and ends it with itself
  --share-image PATTERN  images that may be used without having been pulled, such as 'localhost/*'; repeatable
  --state DIR            where the ledger is kept; default $XDG_STATE_HOME/podfence or ~/.local/state/podfence
  --audit-log FILE|journald|stderr
                         one line of JSON per decision; default stderr
)";

constexpr std::string_view explain_options =
    R"(Options of explain: --config FILE, or --policy, --share-image, --socket and --state as for serve; and
  --facts FILE           what exists, and whose it is (docs/explain.md); nothing else does
  --upstream PATH        Podman is asked what exists; nothing is changed
  --from-audit LINE|-    instead of REQUEST: lines of the audit log, those of standard input for -; with --project
                         only those of that project
  --json                 one line of JSON per request
)";

constexpr std::string_view replay_options =
    R"(Options of replay: --config FILE, or --policy, --share-image and --socket as for serve; --facts as for explain; and
  PATH                   a file: what a client sends on one connection; a folder: the files in it; -: standard input,
                         with a NUL byte between the connections
  --against FILE|NAME    another configuration, or another policy where there is no --config: print what differs
  --format tsv|json      default tsv
  --text                 requests may have plain line ends and lack Host and Content-Length, as for explain
  --save DIR             where a request that podfence fails on is saved; default the current directory
)";

constexpr std::string_view verify_options =
    R"(Options of verify: --config FILE, or
  --project ID --socket PATH --upstream PATH
                         the project's socket and Podman's; defaults as for serve
  --admin SOCKET         the operator's socket, for a decoy project; default that of --config, else there is none
  --image NAME           an image that the project may use; default one that is made for it
  --json                 one document at the end
)";

constexpr std::string_view doctor_options =
    R"(Options of doctor: --config FILE; or --upstream and --state as for serve; and
  --json                 one document
)";

constexpr std::string_view operator_options =
    R"(Options of project, gc, reload, watch and dashboard: --config FILE, or --admin SOCKET, to find the operator's socket; and
  --file FILE            the project as it would stand in a configuration (JSON); -: standard input
  --policy NAME|FILE     its policy, beside that
  --teardown HOW         what becomes of what it has: none, stop or remove; default what its definition says
  --dry-run              only tell what would be removed
  --json                 the answer as it comes (docs/admin-api.md)
)";

constexpr std::string_view exit_codes =
    R"(Exit codes: 0 ended as asked, 1 could not start or go on, 2 wrong usage, 3 wrong configuration,
4 the explained request, or what an operator asks for, is refused, 5 podfence crashed on a replayed request, or decided it in two ways,
6 decisions differ under the two policies, or from those of the audit log,
7 verify or doctor found something that does not hold.
)";

constexpr std::string_view no_options = "";

constexpr std::string_view sections[] = {serve_options,  explain_options, replay_options,
                                         verify_options, doctor_options,  operator_options};

/// A command, by its first word, the forms that it has and its options.
struct Topic {
  std::string_view command;
  std::string_view forms;
  std::string_view options;
};
constexpr auto topics = std::to_array<Topic>({
    {"serve",
     R"(  podfence serve --project ID [option]...   serve one project
  podfence serve --config FILE              serve the projects of a file
)",
     serve_options},
    {"check-config",
     R"(  podfence check-config FILE                say whether the file would load, and do nothing else
)",
     no_options},
    {"explain",
     R"(  podfence explain --project ID [option]... [REQUEST]
                                            say what would become of a request: a file, or standard input
)",
     explain_options},
    {"replay",
     R"(  podfence replay --project ID [option]... PATH...
                                            decide every request of files and folders, and print the decisions
)",
     replay_options},
    {"project",
     R"(  podfence project add ID [--policy NAME] [--file FILE]
  podfence project remove ID [--teardown none|stop|remove]
  podfence project list | show ID | renew ID
                                            the projects of a running podfence
)",
     operator_options},
    {"gc",
     R"(  podfence gc [--dry-run]                   remove what is left of projects that are not known any more
)",
     operator_options},
    {"reload",
     R"(  podfence reload                           let a running podfence read its configuration again
)",
     operator_options},
    {"watch",
     R"(  podfence watch [--denied] [--project IDS] [--rule RULES] [--recent N] [--json]
                                            the decisions of a running podfence, as they are made
)",
     operator_options},
    {"dashboard",
     R"(  podfence dashboard [--listen 127.0.0.1:PORT]
                                            a page to look at a running podfence, for a browser of this machine
)",
     operator_options},
    {"verify",
     R"(  podfence verify --project ID [option]...
  podfence verify --config FILE [--project ID]
                                            try to break out of a project's socket, and tell what came of it
)",
     verify_options},
    {"doctor",
     R"(  podfence doctor [--config FILE]           look whether the host is as podfence needs it
)",
     doctor_options},
    {"ledger",
     R"(  podfence ledger list|show|forget|repair   who holds which images, names and secrets: podfence ledger help
)",
     no_options},
    {"schema",
     R"(  podfence schema                           print the JSON Schema of configuration files
)",
     no_options},
    {"version",
     R"(  podfence version                          print which podfence this is
)",
     no_options},
    {"help",
     R"(  podfence help [COMMAND]                   print this, or what of it is about one command, as COMMAND --help does
)",
     no_options},
});

}  // namespace

std::string usage() {
  std::string text(program_summary);
  text += '\n';
  for (const auto& topic : topics) text += topic.forms;
  for (const auto options : sections) text.append("\n").append(options);
  return text.append("\n").append(exit_codes);
}

std::string usage_of(std::string_view command) {
  const auto* topic = std::ranges::find(topics, command, &Topic::command);
  if (topic == topics.end()) return "";
  std::string text(topic->forms);
  return topic->options.empty() ? text : text.append("\n").append(topic->options);
}

}  // namespace podfence::proxy
