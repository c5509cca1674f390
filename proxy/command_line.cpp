#include "proxy/command_line.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <limits>
#include <optional>
#include <span>

#include "proxy/decisions.hpp"
#include "proxy/help.hpp"
#include "rules/configuration_text.hpp"
#include "rules/contains.hpp"

namespace podfence::proxy {
namespace {

namespace options = boost::program_options;
using Command = CommandLine::Command;

struct CommandName {
  std::string_view name;
  Command command;
};
constexpr CommandName commands[] = {
    {"serve", Command::Serve},
    {"check-config", Command::CheckConfig},
    {"explain", Command::Explain},
    {"replay", Command::Replay},
    {"ledger", Command::Ledger},
    {"project add", Command::ProjectAdd},
    {"project list", Command::ProjectList},
    {"project show", Command::ProjectShow},
    {"project remove", Command::ProjectRemove},
    {"project renew", Command::ProjectRenew},
    {"gc", Command::Collect},
    {"reload", Command::Reload},
    {"watch", Command::Watch},
    {"dashboard", Command::Dashboard},
    {"verify", Command::Verify},
    {"doctor", Command::Doctor},
    {"schema", Command::Schema},
    {"version", Command::Version},
    {"--version", Command::Version},
    {"help", Command::Help},
    {"--help", Command::Help},
    {"-h", Command::Help},
};

std::optional<Command> find_command(std::string_view name) {
  for (const auto& row : commands)
    if (row.name == name) return row.command;
  return std::nullopt;
}

UsageError unknown_command(const std::string& name) { return {"the command '" + name + "' is not known"}; }

std::string_view name_of(Command command) { return std::ranges::find(commands, command, &CommandName::command)->name; }

/// Those that ask a running podfence, and name a project or none.
constexpr Command about_a_project[] = {Command::ProjectAdd, Command::ProjectShow, Command::ProjectRemove,
                                       Command::ProjectRenew};
constexpr Command about_all[] = {Command::ProjectList, Command::Collect, Command::Reload, Command::Watch,
                                 Command::Dashboard};

bool is_one_of(Command command, std::span<const Command> commands_) { return rules::contains(commands_, command); }
bool asks_operator(Command command) { return is_one_of(command, about_a_project) || is_one_of(command, about_all); }

/// The options that say what a configuration file says too.
constexpr const char* single_project_options[] = {"policy", "socket", "share-image", "state", "audit-log"};
/// To explain, one of the file's projects is chosen, and Podman is asked or not.
constexpr const char* serving_options[] = {"project", "upstream"};

using Action = CommandLine::Ledger::Action;
struct ActionRow {
  std::string_view name;
  Action action;
};
constexpr ActionRow ledger_actions[] = {
    {"list", Action::List},     {"show", Action::Show}, {"forget", Action::Forget},
    {"repair", Action::Repair}, {"help", Action::Help},
};

/// In place of a text that says which: `plain`, or "json".
auto format_option(bool& json, const std::string& plain) {
  return options::value<std::string>()->notifier([&json, plain](const std::string& format) {
    if (format != plain && format != "json") throw options::error("--format is " + plain + " or json");
    json = format == "json";
  });
}

void describe_ledger(CommandLine& line, options::options_description& all) {
  auto& ledger = line.ledger;
  auto add = all.add_options();
  add("config", options::value(&line.configuration_file))("state", options::value(&line.options.state));
  if (ledger.action == Action::Repair) {
    add("upstream", options::value(&line.options.upstream))("dry-run", options::bool_switch(&ledger.dry_run));
    return;
  }
  add("project", options::value(&line.options.project))("format", format_option(ledger.json, "table"));
  if (ledger.action != Action::List) add("word", options::value(&ledger.words));
  if (ledger.action == Action::Forget) add("yes", options::bool_switch(&ledger.yes));
}

void describe_watch(CommandLine::Watch& watch, options::options_description& all) {
  auto add = all.add_options();
  add("project", options::value(&watch.project))("rule", options::value(&watch.rule));
  add("denied", options::bool_switch(&watch.denied))("recent", options::value(&watch.recent));
}

options::options_description described(CommandLine& line) {
  options::options_description all;
  if (line.command == Command::Ledger) {
    describe_ledger(line, all);
    return all;
  }
  auto add = all.add_options();
  const auto text = [](std::string& target) { return options::value(&target); };
  add("config", text(line.configuration_file));
  if (line.command == Command::CheckConfig) return all;
  if (asks_operator(line.command)) {
    auto& operate = line.operate;
    add("admin", text(operate.admin))("json", options::bool_switch(&operate.json));
    if (is_one_of(line.command, about_a_project)) add("id", text(operate.project));
    if (line.command == Command::Watch) describe_watch(line.watch, all);
    if (line.command == Command::Dashboard) add("listen", text(line.dashboard.listen));
    if (line.command == Command::ProjectRemove) add("teardown", text(operate.teardown));
    if (line.command == Command::Collect) add("dry-run", options::bool_switch(&operate.dry_run));
    if (line.command == Command::ProjectAdd) add("file", text(operate.definition))("policy", text(operate.policy));
    return all;
  }
  if (line.command == Command::Doctor) {
    add("upstream", text(line.options.upstream))("state", text(line.options.state));
    add("json", options::bool_switch(&line.operate.json));
    return all;
  }
  if (line.command == Command::Verify) {
    add("project", text(line.options.project))("socket", text(line.options.socket));
    add("upstream", text(line.options.upstream))("admin", text(line.operate.admin));
    add("image", text(line.verify.image))("json", options::bool_switch(&line.operate.json));
    return all;
  }
  add("project", text(line.options.project))("policy", text(line.options.policy));
  add("socket", text(line.options.socket));
  add("share-image", options::value(&line.options.shared_images)->composing());
  if (line.command == Command::Replay) {
    auto& replay = line.replay;
    add("facts", text(line.facts))("against", text(replay.against))("save", text(replay.save));
    add("text", options::bool_switch(&replay.text))("input", options::value(&replay.inputs));
    add("format", format_option(replay.json, "tsv"));
    return all;
  }
  add("upstream", text(line.options.upstream))("state", text(line.options.state));
  if (line.command == Command::Serve) add("audit-log", text(line.options.audit_log));
  if (line.command == Command::Explain) {
    add("facts", text(line.facts))("json", options::bool_switch(&line.explain.json));
    add("request", text(line.explain.request))("from-audit", text(line.explain.audit));
  }
  return all;
}

/// An option that was given must say something: `--socket "$UNSET"` is a mistake, not a wish for the default.
std::optional<UsageError> find_empty_value(const options::parsed_options& parsed) {
  for (const auto& option : parsed.options)
    for (const auto& value : option.value)
      if (value.empty())
        return UsageError{option.position_key < 0 ? "the value of --" + option.string_key + " is empty"
                                                  : "an argument is empty"};
  return std::nullopt;
}

std::optional<UsageError> check_ledger(const CommandLine& line, const options::variables_map& given) {
  const auto action = line.ledger.action;
  if (given.count("config") != 0 && given.count("state") != 0)
    return UsageError{"--config and --state exclude each other"};
  if (action == Action::Show && given.count("word") == 0) return UsageError{"ledger show needs an id or a name"};
  if (action == Action::Forget && given.count("project") == 0) return UsageError{"ledger forget needs --project ID"};
  return std::nullopt;
}

std::optional<UsageError> check_combination(const CommandLine& line, const options::variables_map& given) {
  const auto is_given = [&](const char* name) { return given.count(name) != 0; };
  const auto excluded = [](const std::string& one, const std::string& other) {
    return UsageError{"--" + one + " and --" + other + " exclude each other"};
  };
  if (line.command == Command::Ledger) return check_ledger(line, given);
  if (line.command == Command::CheckConfig)
    return is_given("config") ? std::nullopt : std::optional(UsageError{"check-config needs a file"});
  if (asks_operator(line.command)) {
    if (is_given("config") && is_given("admin")) return excluded("config", "admin");
    const std::string name(name_of(line.command));
    if (!is_given("config") && !is_given("admin")) return UsageError{name + " needs --admin SOCKET or --config FILE"};
    if (line.watch.recent > Decisions::max_recent)
      return UsageError{"--recent is a number up to " + std::to_string(Decisions::max_recent)};
    if (!is_one_of(line.command, about_a_project)) return std::nullopt;
    if (!is_given("id")) return UsageError{name + " needs a project's id"};
    if (const char* wrong = rules::wrong_with_project_id(line.operate.project))
      return UsageError{"ID " + std::string(wrong)};
    return std::nullopt;
  }
  if (line.command == Command::Doctor)
    return is_given("config") && is_given("state") ? std::optional(excluded("config", "state")) : std::nullopt;
  const bool serves = line.command == Command::Serve;
  if (line.command == Command::Replay && !is_given("input")) return UsageError{"replay needs a file or a folder, or -"};
  if (is_given("facts") && is_given("upstream")) return excluded("facts", "upstream");
  if (is_given("from-audit") && is_given("request")) return UsageError{"--from-audit and a request exclude each other"};
  if (!is_given("config")) {
    if (is_given("project")) return std::nullopt;
    return UsageError{std::string(name_of(line.command)) + " needs --project ID or --config FILE"};
  }
  for (const char* name : single_project_options)
    if (is_given(name)) return excluded("config", name);
  for (const char* name : serving_options)
    if (serves && is_given(name)) return excluded("config", name);
  return std::nullopt;
}

std::optional<UsageError> parse_options(CommandLine& line, const std::vector<std::string>& arguments) {
  const auto known = described(line);
  options::positional_options_description positions;
  if (line.command == Command::CheckConfig) positions.add("config", 1);
  if (line.command == Command::Explain) positions.add("request", 1);
  if (is_one_of(line.command, about_a_project)) positions.add("id", 1);
  if (line.command == Command::Replay) positions.add("input", -1);
  if (known.find_nothrow("word", false)) positions.add("word", -1);
  // Guessing would let a new option change what an old script means.
  const auto style = options::command_line_style::unix_style & ~options::command_line_style::allow_guessing;
  options::options_description all;
  std::vector<std::string> others;
  all.add(known).add_options()("too much", options::value(&others));
  if (positions.max_total_count() != std::numeric_limits<unsigned>::max()) positions.add("too much", -1);
  try {
    const auto parsed = options::command_line_parser(arguments).options(all).positional(positions).style(style).run();
    if (auto error = find_empty_value(parsed)) return error;
    options::variables_map given;
    options::store(parsed, given);
    if (given.contains("too much"))
      return UsageError{"there is no place for " + given["too much"].as<std::vector<std::string>>().front()};
    options::notify(given);
    return check_combination(line, given);
  } catch (const options::error& error) {
    return UsageError{error.what()};
  }
}

/// Takes the word that says what is to be done.
std::optional<UsageError> take_action(CommandLine& line, std::vector<std::string>& rest) {
  const auto found =
      rest.empty() ? std::end(ledger_actions) : std::ranges::find(ledger_actions, rest.front(), &ActionRow::name);
  if (found == std::end(ledger_actions)) return UsageError{"ledger needs one of list, show, forget, repair, help"};
  line.ledger.action = found->action;
  rest.erase(rest.begin());
  return std::nullopt;
}

/// "add, list, show": the words that may stand behind the first one of a command.
std::string second_words(std::string_view first) {
  std::string words;
  for (const auto& row : commands)
    if (row.name.starts_with(first) && row.name.substr(first.size()).starts_with(' '))
      words.append(words.empty() ? "" : ", ").append(row.name.substr(first.size() + 1));
  return words;
}

bool asks_for_help(const std::string& word) { return word == "--help" || word == "-h"; }

/// `words` begin with a command, of which only the first word counts; none is the text about all of them.
std::variant<CommandLine, UsageError> help_about(std::span<const std::string> words) {
  CommandLine line{Command::Help, {}, {}};
  if (words.empty()) return line;
  const auto command = find_command(words.front());
  line.topic = command ? name_of(*command) : words.front();
  if (line.topic == name_of(Command::Ledger)) line.command = Command::Ledger;  // it has a page of its own
  if (usage_of(line.topic).empty()) return unknown_command(line.topic);
  return line;
}

}  // namespace

std::variant<CommandLine, UsageError> parse_command_line(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return UsageError{"a command is missing"};
  auto words = arguments.front();
  if (find_command(words) == Command::Help) return help_about(std::span(arguments).subspan(1));
  if (std::ranges::any_of(arguments, asks_for_help)) return help_about(arguments);
  std::size_t used = 1;
  if (const auto second = second_words(words); !second.empty()) {
    words += " " + (arguments.size() > 1 ? arguments[used++] : "");
    if (!find_command(words)) return UsageError{arguments.front() + " needs one of " + second};
  }
  const auto command = find_command(words);
  if (!command) return unknown_command(words);
  CommandLine line{*command, {}, {}};
  constexpr Command without_options[] = {Command::Schema, Command::Version};
  std::vector<std::string> rest(arguments.begin() + static_cast<std::ptrdiff_t>(used), arguments.end());
  if (line.command == Command::Ledger)
    if (auto error = take_action(line, rest)) return *error;
  if (!is_one_of(line.command, without_options)) {
    if (auto error = parse_options(line, rest)) return *error;
  } else if (!rest.empty()) {
    return UsageError{"the command '" + words + "' takes no arguments"};
  }
  return line;
}

}  // namespace podfence::proxy
