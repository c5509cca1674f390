// Which command lines are understood, and what a person reads about those that are not.
#include "proxy/command_line.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "proxy/help.hpp"

using namespace podfence::proxy;
using Command = CommandLine::Command;
using Words = std::vector<std::string>;

namespace {

CommandLine understood(const Words& words) {
  auto result = parse_command_line(words);
  const auto* error = std::get_if<UsageError>(&result);
  REQUIRE_MESSAGE(error == nullptr, (error ? error->what : ""));
  return std::get<CommandLine>(std::move(result));
}

std::string refused(const Words& words) {
  const auto result = parse_command_line(words);
  const auto* error = std::get_if<UsageError>(&result);
  return error ? error->what : "understood";
}

}  // namespace

TEST_CASE("every option of serve arrives") {
  const CommandLine line =
      understood({"serve", "--project", "p1", "--socket=/s", "--upstream", "/u", "--share-image", "a/*",
                  "--share-image", "b/*", "--state", "/d", "--audit-log", "/l", "--policy", "builder"});
  CHECK(line.command == Command::Serve);
  CHECK(line.configuration_file.empty());
  CHECK(line.options.project == "p1");
  CHECK(line.options.policy == "builder");
  CHECK(line.options.socket == "/s");
  CHECK(line.options.upstream == "/u");
  CHECK(line.options.state == "/d");
  CHECK(line.options.audit_log == "/l");
  CHECK(line.options.shared_images == Words{"a/*", "b/*"});
}

TEST_CASE("a configuration file is named by an option, for check-config also by position") {
  CHECK(understood({"serve", "--config", "f"}).configuration_file == "f");
  CHECK(understood({"check-config", "f"}).configuration_file == "f");
  CHECK(understood({"check-config", "--config", "f"}).configuration_file == "f");
  CHECK(understood({"check-config", "f"}).command == Command::CheckConfig);
}

TEST_CASE("every option of replay arrives") {
  const auto line = understood({"replay", "--config", "c", "--project", "p1", "--facts", "f", "--against", "d",
                                "--save", "s", "--format", "json", "--text", "a", "-", "b"});
  CHECK(line.command == Command::Replay);
  CHECK(line.configuration_file == "c");
  CHECK(line.options.project == "p1");
  CHECK(line.facts == "f");
  CHECK(line.replay.against == "d");
  CHECK(line.replay.save == "s");
  CHECK(line.replay.json);
  CHECK(line.replay.text);
  CHECK(line.replay.inputs == Words{"a", "-", "b"});
  const auto plain = understood({"replay", "--project", "p1", "--policy", "builder", "--format", "tsv", "a"});
  CHECK_FALSE(plain.replay.json);
  CHECK_FALSE(plain.replay.text);
  CHECK(plain.options.policy == "builder");
}

TEST_CASE("help is found behind every command, and in front of it") {
  for (const Words& words : {Words{"serve", "--help"}, Words{"serve", "-h"}, Words{"help", "serve"},
                             Words{"--help", "serve"}, Words{"serve", "--project", "p1", "--help"}}) {
    const auto line = understood(words);
    CHECK(line.command == Command::Help);
    CHECK(line.topic == "serve");
  }
  for (const Words& words :
       {Words{"project", "--help"}, Words{"project", "add", "-h"}, Words{"help", "project", "add"}})
    CHECK(understood(words).topic == "project");
  for (const Words& words : {Words{"ledger", "--help"}, Words{"ledger", "list", "-h"}, Words{"help", "ledger"}}) {
    const auto line = understood(words);
    CHECK(line.command == Command::Ledger);
    CHECK(line.ledger.action == CommandLine::Ledger::Action::Help);
  }
  CHECK(understood({"--version", "-h"}).topic == "version");
  CHECK(understood({"help"}).topic.empty());
  CHECK(refused({"help", "start"}) == "the command 'start' is not known");
  CHECK(refused({"start", "--help"}) == "the command 'start' is not known");
}

TEST_CASE("every command has a part of the help, and all of them stand in it") {
  for (const char* word : {"serve", "check-config", "explain", "replay", "ledger", "project", "gc", "reload", "watch",
                           "dashboard", "verify", "doctor", "schema", "version", "help"}) {
    CAPTURE(word);
    const auto text = usage_of(word);
    CHECK(text.starts_with(std::string("  podfence ") + word));
    CHECK(usage().find(text.substr(0, text.find("\n\n"))) != std::string::npos);
  }
  CHECK(usage_of("serve").find("--share-image PATTERN") != std::string::npos);
  CHECK(usage_of("serve").find("--from-audit") == std::string::npos);
  CHECK(usage_of("start").empty());
}

TEST_CASE("README.md tells the exit codes as help does, and docs/configuration.md tells every one") {
  const auto words = [](std::string text) {
    std::ranges::replace(text, '\n', ' ');
    const auto begin = text.find("Exit codes: ");
    return text.substr(begin, text.find("does not hold.", begin) - begin);
  };
  const auto page = [](const char* name) {
    std::ifstream file(std::string(PODFENCE_SOURCE_DIR) + "/" + name);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  CHECK(words(page("README.md")) == words(usage()));
  for (int code = exit_ok; code <= exit_unsound; ++code)
    CHECK(page("docs/configuration.md").find("\n| " + std::to_string(code) + " | ") != std::string::npos);
}

TEST_CASE("schema, help and version take no options; help and version have the spellings that people try") {
  CHECK(understood({"schema"}).command == Command::Schema);
  for (const char* word : {"help", "--help", "-h"}) CHECK(understood({word}).command == Command::Help);
  for (const char* word : {"version", "--version"}) CHECK(understood({word}).command == Command::Version);
}

TEST_CASE("what is not understood is refused with a reason") {
  struct Row {
    Words words;
    std::string reason;  ///< a part of it
  };
  const Row rows[] = {
      {{}, "a command is missing"},
      {{"start"}, "the command 'start' is not known"},
      {{"Serve"}, "the command 'Serve' is not known"},
      {{"--project", "p1"}, "the command '--project' is not known"},
      {{"serve"}, "serve needs --project ID or --config FILE"},
      {{"serve", "--socket", "/s"}, "serve needs --project ID or --config FILE"},
      {{"serve", "--config", "f", "--project", "p1"}, "--config and --project exclude each other"},
      {{"serve", "--config", "f", "--share-image", "a/*"}, "--config and --share-image exclude each other"},
      {{"serve", "--config", "f", "--policy", "builder"}, "--config and --policy exclude each other"},
      {{"schema", "all"}, "takes no arguments"},
      {{"serve", "--proj", "p1"}, "--proj"},
      {{"serve", "--project"}, "--project"},
      {{"serve", "--project", ""}, "the value of --project is empty"},
      {{"serve", "--project", "p1", "--socket", ""}, "the value of --socket is empty"},
      {{"serve", "--project", "p1", "--project", "p2"}, "--project"},
      {{"serve", "--project", "p1", "p2"}, "there is no place for p2"},
      {{"check-config"}, "check-config needs a file"},
      {{"explain"}, "explain needs --project ID or --config FILE"},
      {{"explain", "--config", "f", "--share-image", "a/*"}, "--config and --share-image exclude each other"},
      {{"explain", "--project", "p1", "--facts", "f", "--upstream", "/u"}, "--facts and --upstream exclude each other"},
      {{"explain", "--project", "p1", "--audit-log", "/l"}, "--audit-log"},
      {{"explain", "--project", "p1", "a", "b"}, "there is no place for b"},
      {{"serve", "--project", "p1", "--facts", "f"}, "--facts"},
      {{"replay", "a"}, "replay needs --project ID or --config FILE"},
      {{"replay", "--project", "p1"}, "replay needs a file or a folder, or -"},
      {{"replay", "--config", "f", "--policy", "builder", "a"}, "--config and --policy exclude each other"},
      {{"replay", "--project", "p1", "--format", "xml", "a"}, "--format is tsv or json"},
      {{"replay", "--project", "p1", "--upstream", "/u", "a"}, "--upstream"},
      {{"replay", "--project", "p1", "--json", "a"}, "--json"},
      {{"explain", "--project", "p1", "--against", "b"}, "--against"},
      {{"check-config", "a", "b"}, "there is no place for b"},
      {{"check-config", "--project", "p1"}, "--project"},
      {{"version", "now"}, "takes no arguments"},
      {{"project"}, "project needs one of add, list, show, remove, renew"},
      {{"project", "paint"}, "project needs one of add, list, show, remove, renew"},
      {{"project", "add", ""}, "an argument is empty"},
      {{"project", "add", "../x", "--admin", "/a"}, "ID must be a project id: 1 to 63 characters a-z"},
      {{"project", "show", ".", "--admin", "/a"}, "ID must be a project id: 1 to 63 characters a-z"},
      {{"project", "remove", "\xC3\xA9", "--admin", "/a"}, "ID must be a project id: 1 to 63 characters a-z"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.reason);
    const std::string reason = refused(row.words);
    CHECK_MESSAGE(reason.find(row.reason) != std::string::npos, reason);
    CHECK(reason.find('\n') == std::string::npos);
  }
}

TEST_CASE("what is watched of a running podfence") {
  const auto line = understood(
      {"watch", "--admin", "/a", "--project", "p1,p2", "--rule", "mount", "--denied", "--recent", "5", "--json"});
  CHECK(line.command == Command::Watch);
  CHECK(line.operate.admin == "/a");
  CHECK(line.watch.project == "p1,p2");
  CHECK(line.watch.rule == "mount");
  CHECK(line.watch.denied);
  CHECK(line.watch.recent == 5);
  CHECK(line.operate.json);
  CHECK(refused({"watch"}) == "watch needs --admin SOCKET or --config FILE");
  CHECK(refused({"watch", "--admin", "/a", "--recent", "x"}) != "understood");
}

TEST_CASE("where the page is to be looked at") {
  CHECK(understood({"dashboard", "--config", "/c"}).dashboard.listen == "127.0.0.1:0");
  const auto line = understood({"dashboard", "--admin", "/a", "--listen", "127.0.0.1:8080"});
  CHECK(line.command == Command::Dashboard);
  CHECK(line.dashboard.listen == "127.0.0.1:8080");
  CHECK(refused({"dashboard"}) == "dashboard needs --admin SOCKET or --config FILE");
}
