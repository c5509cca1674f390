#include "proxy/operator_command.hpp"

#include <iostream>
#include <iterator>

#include "proxy/load.hpp"
#include "proxy/log.hpp"
#include "proxy/run_alone.hpp"
#include "proxy/upstream.hpp"
#include "rules/operator/report.hpp"

namespace podfence::proxy {

namespace {

namespace asio = boost::asio;
using Command = CommandLine::Command;
using rules::OperatorAction;

constexpr std::size_t max_answer = 64 * 1024 * 1024;

OperatorAction action_of(Command command) {
  switch (command) {
    case Command::ProjectAdd:
      return OperatorAction::PutProject;
    case Command::ProjectShow:
      return OperatorAction::ShowProject;
    case Command::ProjectRemove:
      return OperatorAction::RemoveProject;
    case Command::ProjectRenew:
      return OperatorAction::RenewProject;
    case Command::Collect:
      return OperatorAction::Collect;
    case Command::Reload:
      return OperatorAction::Reload;
    default:
      return OperatorAction::ListProjects;
  }
}

std::string query_of(const CommandLine::Operate& operate) {
  if (!operate.teardown.empty()) return "?teardown=" + rules::encode(operate.teardown);
  return operate.dry_run ? "?dry_run=true" : "";
}

rules::UpstreamRequest request_for(OperatorAction action, const CommandLine::Operate& operate) {
  const auto* row = rules::operator_row(action);
  return {row->method, rules::operator_target(*row, operate.project) + query_of(operate), {}, std::nullopt};
}

/// nullopt for no answer that can be read.
Task<void> ask(Upstream& upstream, rules::UpstreamRequest request, std::optional<WholeAnswer>& answer) {
  BufferBudget budget(max_answer, max_answer);
  BufferBudget::Share share(budget, "");
  auto given = co_await ask_whole(upstream, std::move(request), max_answer, share);
  if (auto* whole = std::get_if<WholeAnswer>(&given)) answer = std::move(*whole);
}

std::optional<WholeAnswer> ask(const std::string& socket, const rules::UpstreamRequest& request) {
  asio::io_context context(1);
  Upstream upstream(context.get_executor(), connect_to_socket(socket));
  std::optional<WholeAnswer> answer;
  run_alone(context, ask(upstream, request, answer));
  return answer;
}

std::variant<rules::json::Value, std::string> definition_of(const CommandLine& line) {
  const auto& file = line.operate.definition;
  std::string text;
  if (file == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else if (!file.empty()) {
    auto read = read_file(file);
    if (!read.wrong.empty()) return file + " " + read.wrong;
    text = std::move(read.text);
  }
  auto definition = rules::stated_definition(text, line.operate.policy);
  if (const auto* wrong = std::get_if<std::string>(&definition)) return file + " " + *wrong;
  return definition;
}

void print(const CommandLine& line, OperatorAction action, const WholeAnswer& answer) {
  const auto parsed = rules::json::parse(answer.content, rules::json::answer_limits);
  const auto* document = std::get_if<rules::json::Value>(&parsed);
  std::cout << (line.operate.json || !document ? answer.content : rules::operator_report(action, *document));
}

}  // namespace

std::variant<std::string, int> operator_socket(const CommandLine& line) {
  if (!line.operate.admin.empty()) return line.operate.admin;
  const auto loaded = load(line, false);
  if (const int* code = std::get_if<int>(&loaded)) return *code;
  const auto& admin = std::get<rules::Configuration>(loaded).admin;
  if (!admin.empty()) return admin;
  log(line.configuration_file + " names no operator's socket (admin)");
  return exit_configuration;
}

std::string no_answer_on(const std::string& socket) {
  return "podfence does not answer on " + socket + "; is it running?";
}

int operate(const CommandLine& line) {
  const auto socket = operator_socket(line);
  if (const int* code = std::get_if<int>(&socket)) return *code;
  const auto action = action_of(line.command);
  auto request = request_for(action, line.operate);
  if (line.command == Command::ProjectAdd) {
    const auto definition = definition_of(line);
    if (const auto* wrong = std::get_if<std::string>(&definition)) {
      log(*wrong);
      return exit_configuration;
    }
    request.content = rules::json::write(std::get<rules::json::Value>(definition));
  }
  const auto answer = ask(std::get<std::string>(socket), request);
  if (!answer) {
    log(no_answer_on(std::get<std::string>(socket)));
    return exit_failure;
  }
  if (answer->status >= 300) {
    std::cerr << rules::operator_failure(answer->content) << '\n';
    return exit_refused;
  }
  print(line, action, *answer);
  return exit_ok;
}

}  // namespace podfence::proxy
