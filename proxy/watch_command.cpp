#include "proxy/watch_command.hpp"

#include <iostream>

#include "proxy/line_cutter.hpp"
#include "proxy/log.hpp"
#include "proxy/operator_command.hpp"
#include "proxy/run_alone.hpp"
#include "proxy/upstream.hpp"
#include "rules/operator/decision_event.hpp"
#include "rules/operator/report.hpp"

namespace podfence::proxy {

namespace {

namespace asio = boost::asio;

constexpr std::size_t max_line = 1024 * 1024;
constexpr std::size_t max_error = 64 * 1024;

rules::UpstreamRequest request_for(const CommandLine::Watch& wanted) {
  std::vector<rules::QueryPair> query;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) query.push_back({name, value});
  };
  add("project", wanted.project);
  add("rule", wanted.rule);
  if (wanted.denied) add("decision", "refuse,hide,error");
  if (wanted.recent > 0) add("recent", std::to_string(wanted.recent));
  const auto* row = rules::operator_row(rules::OperatorAction::Decisions);
  return {row->method, rules::write_target(row->path, query), {}, std::nullopt};
}

/// Until the stream ends. Whoever reads may be gone: then there is nothing left to do.
Task<void> print(UpstreamCall& call, bool json) {
  LineCutter line(max_line);
  while (std::cout) {
    auto piece = co_await call.content().next();
    if (piece.empty()) co_return;
    while (line.take(piece)) {
      auto text = line.text();
      if (text.ends_with('\n')) text.remove_suffix(1);
      std::cout << rules::decision_line(text, json);
      line.clear();
    }
    std::cout.flush();
  }
}

struct Watcher {
  const CommandLine& line;
  std::string socket;
  int code = exit_failure;

  Task<void> run(Upstream& upstream) {
    UpstreamCall call(upstream);
    const auto request = request_for(line.watch);
    const auto outcome = co_await call.send(request);
    if (refusal_for(outcome)) {
      log(no_answer_on(socket));
      co_return;
    }
    if (call.head().status == 200) {
      co_await print(call, line.operate.json);
      log("the stream of decisions ended: podfence did, it seems");
      co_return;
    }
    BufferBudget budget(max_error, max_error);
    BufferBudget::Share share(budget, "");
    const auto content = co_await read_whole(call.content(), max_error, share);
    if (const auto* text = std::get_if<std::string>(&content)) std::cerr << rules::operator_failure(*text) << '\n';
    code = exit_refused;
  }
};

}  // namespace

int watch(const CommandLine& line) {
  const auto socket = operator_socket(line);
  if (const int* code = std::get_if<int>(&socket)) return *code;
  Watcher watcher{line, std::get<std::string>(socket)};
  asio::io_context context(1);
  Upstream upstream(context.get_executor(), connect_to_socket(watcher.socket));
  run_alone(context, watcher.run(upstream));
  return watcher.code;
}

}  // namespace podfence::proxy
