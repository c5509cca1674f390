#pragma once
// What the words behind `podfence` mean.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/configuration.hpp"

namespace podfence::proxy {

/// docs/configuration.md tells them; scripts rely on them.
enum ExitCode {
  exit_ok = 0,
  exit_failure = 1,
  exit_usage = 2,
  exit_configuration = 3,
  exit_refused = 4,
  exit_finding = 5,
  exit_differs = 6,
  exit_unsound = 7
};

struct CommandLine {
  enum class Command {
    Serve,
    CheckConfig,
    Explain,
    Replay,
    Ledger,
    ProjectAdd,
    ProjectList,
    ProjectShow,
    ProjectRemove,
    ProjectRenew,
    Collect,
    Reload,
    Watch,
    Dashboard,
    Verify,
    Doctor,
    Schema,
    Version,
    Help
  } command = Command::Help;
  std::string configuration_file;  ///< "" for none; then `options` count
  rules::ServeOptions options;

  std::string topic = {};  ///< the command that help is asked about; "" for all
  std::string facts = {};  ///< file of what exists, for explain and replay; "" for none

  struct Explain {
    std::string request = {};  ///< file; "" and "-" are standard input
    std::string audit = {};    ///< instead of it: lines of the audit log; "-" is standard input, "" for none
    bool json = false;
  } explain = {};

  /// What a running podfence is asked, on its operator's socket.
  struct Operate {
    std::string admin = {};       ///< the socket; "" for the one that the configuration names
    std::string project = {};     ///< id
    std::string definition = {};  ///< file of what is to be added; "-" is standard input, "" says nothing
    std::string policy = {};      ///< beside it
    std::string teardown = {};    ///< of a removal; "" as the project's definition says
    bool dry_run = false;         ///< nothing is collected
    bool json = false;
  } operate = {};

  /// Of its decisions; the socket is that of `operate`.
  struct Watch {
    std::string project = {};  ///< ids with commas; "" for all
    std::string rule = {};     ///< ids or families of rules with commas; "" for all
    bool denied = false;       ///< only denials and failures
    std::size_t recent = 0;    ///< how many of those before
  } watch = {};

  struct Dashboard {
    std::string listen = "127.0.0.1:0";
  } dashboard = {};

  /// The sockets are those of `options` and `operate`.
  struct Verify {
    std::string image = {};  ///< that the project may use; "" for one that is made
  } verify = {};

  struct Replay {
    std::vector<std::string> inputs = {};  ///< files and folders; "-" is standard input
    std::string against = {};              ///< a configuration file or a policy, as the first one is; "" for none
    std::string save = {};                 ///< directory; "" is the current one
    bool json = false;
    bool text = false;  ///< inputs are completed, as for explain
  } replay = {};

  struct Ledger {
    enum class Action { List, Show, Forget, Repair, Help } action = Action::Help;
    std::vector<std::string> words = {};  ///< ids and names
    bool json = false;
    bool yes = false;
    bool dry_run = false;
  } ledger = {};
};

/// What is wrong, in a phrase for people.
struct UsageError {
  std::string what;
};

/// `arguments` without the program's name.
std::variant<CommandLine, UsageError> parse_command_line(const std::vector<std::string>& arguments);

}  // namespace podfence::proxy
