#include "proxy/operator_command.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <iostream>
#include <iterator>

#include "proxy/load.hpp"
#include "proxy/log.hpp"
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
  std::string target(row->path);
  if (const auto at = target.find("{id}"); at != std::string::npos)
    target.replace(at, 4, rules::encode(operate.project));
  return {row->method, target + query_of(operate), {}, std::nullopt};
}

struct Answer {
  int status = 0;  ///< 0: there was none
  std::string content;
};

Task<void> ask(Upstream& upstream, const rules::UpstreamRequest& request, Answer& answer) {
  UpstreamCall call(upstream);
  const auto outcome = co_await call.send(request);
  if (refusal_for(outcome)) co_return;
  BufferBudget budget(max_answer, max_answer);
  BufferBudget::Share share(budget, "");
  auto content = co_await read_whole(call.content(), max_answer, share);
  auto* text = std::get_if<std::string>(&content);
  if (!text) co_return;
  answer = {call.head().status, std::move(*text)};
}

Answer ask(const std::string& socket, const rules::UpstreamRequest& request) {
  asio::io_context context(1);
  Upstream upstream(context.get_executor(), socket);
  Answer answer;
  std::exception_ptr failure;
  asio::co_spawn(context, ask(upstream, request, answer),
                 [&](std::exception_ptr error) { failure = std::move(error); });
  context.run();
  if (failure) std::rethrow_exception(failure);
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

void print(const CommandLine& line, OperatorAction action, const Answer& answer) {
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
  if (answer.status == 0) {
    log("podfence does not answer on " + std::get<std::string>(socket) + "; is it running?");
    return exit_failure;
  }
  if (answer.status >= 300) {
    std::cerr << rules::operator_failure(answer.content) << '\n';
    return exit_refused;
  }
  print(line, action, answer);
  return exit_ok;
}

}  // namespace podfence::proxy
