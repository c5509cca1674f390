#include "proxy/relay.hpp"

#include "proxy/line_cutter.hpp"
#include "rules/absence.hpp"
#include "rules/answer.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace {

using rules::Ask;
using rules::Deny;
using Refused = std::optional<Deny>;

Deny bad_answer(std::string_view why) {
  return {rules::refusal("upstream.answer"), std::string(why), rules::Kind::None};
}

struct Relay {
  UpstreamCall& call;
  Inquiry& inquiry;
  Services& services;
  ClientAnswer& answer;
  bool unheard = false;                  ///< the client is gone, and what upstream does is only waited for
  std::vector<std::string> judged = {};  ///< lines that have not been sent yet
  std::size_t judged_size = 0;

  const rules::Endpoint& endpoint() const { return *inquiry.exchange().match.endpoint; }
  const std::string& project() const { return inquiry.exchange().project.id; }
  /// Events are told one by one, and of everybody's objects: one that cannot be judged is not told, and must not end
  /// the stream for those who have nothing to do with it. The lines of a single operation are worth something together
  /// only.
  bool may_leave_out_lines() const { return endpoint().answer == rules::Answer::EventLines; }
  /// Once.
  rules::Fields take_fields() { return rules::answer_fields(call.take_fields()); }

  /// False when there is no use in going on.
  bool heard(bool sent) {
    unheard = unheard || !sent;
    return sent || rules::is_recorded(inquiry.exchange()) || endpoint().answer == rules::Answer::BuildLines;
  }

  /// Before what may be a long wait.
  void save_memory() {
    if (call.content().state() == ContentReader::State::Open) call.connection().shrink_when_little_comes();
  }

  Task<Refused> bytes();
  Task<Refused> whole();
  Task<Refused> error();
  Task<Refused> lines();
  Task<bool> pass_lines(rules::LineJudge& judge);
  Task<bool> send_judged();
  Task<bool> pass_line(rules::LineJudge& judge, const LineCutter& line, std::string_view line_end);
  Task<bool> record(rules::LineJudge& judge);
};

Task<Refused> Relay::bytes() {
  const auto& head = call.head();
  // The answer to a HEAD says how long the content would be.
  std::optional<std::string> length;
  if (inquiry.exchange().request.method == rules::Method::Head)
    if (const auto* said = rules::find(head.fields, "Content-Length")) length = *said;
  auto passed = take_fields();
  if (length) passed.push_back({"Content-Length", *std::move(length)});
  const auto first = call.content().take_piece();
  if (!co_await answer.begin(head.status, std::move(passed), head.content, first)) co_return std::nullopt;
  while (call.content().state() == ContentReader::State::Open) {
    save_memory();
    const auto piece = co_await call.content().next_piece();
    if (piece.empty()) break;
    if (!co_await answer.write(piece)) co_return std::nullopt;
  }
  if (call.content().state() == ContentReader::State::Complete)
    co_await answer.finish();
  else
    answer.abort("upstream");
  co_return std::nullopt;
}

Task<Refused> Relay::whole() {
  BufferBudget::Share share(services.buffers, project());
  auto content = co_await whole_answer(call, inquiry, services, share);
  if (auto* deny = std::get_if<Deny>(&content)) co_return std::move(*deny);
  // Named: g++ 12 destroys a braced temporary of a co_await expression twice.
  const rules::Reply reply{call.head().status, "application/json", std::get<std::string>(std::move(content)), {}};
  // What upstream said is gone: a client that is slow holds only what is for it.
  share.shrink_to(reply.content.size());
  co_await answer.send(reply, take_fields());
  co_return std::nullopt;
}

Task<Refused> Relay::error() {
  BufferBudget::Share share(services.buffers, project());
  const auto error = co_await error_answer_of(call, inquiry, services, share);
  if (const auto* deny = std::get_if<Deny>(&error)) co_return *deny;
  const auto& reply = std::get<rules::Reply>(error);
  if (rules::is_recorded(inquiry.exchange())) {
    rules::LineJudge judge(endpoint().answer, inquiry.exchange());
    co_await record(judge);
  }
  share.shrink_to(reply.content.size());
  co_await answer.send(reply, take_fields());
  co_return std::nullopt;
}

Task<Refused> Relay::lines() {
  rules::LineJudge judge(endpoint().answer, inquiry.exchange());
  if (!heard(co_await answer.begin(call.head().status, take_fields(), Framing::chunked()))) co_return std::nullopt;
  bool whole = co_await pass_lines(judge);
  // What was made is there, also when the answer about it is cut off.
  if (whole || rules::is_recorded(inquiry.exchange())) {
    const bool recorded = co_await record(judge);
    whole = whole && recorded;
  }
  if (unheard) co_return std::nullopt;
  const auto last = whole ? judge.last_lines() : std::string();
  if (!last.empty()) whole = co_await answer.write(last);
  if (whole)
    co_await answer.finish();
  else
    answer.abort("upstream");
  co_return std::nullopt;
}

/// True when all lines have been passed on.
Task<bool> Relay::pass_lines(rules::LineJudge& judge) {
  LineCutter line(services.limits.line_bytes);
  while (!line.too_long() || may_leave_out_lines()) {
    // What came together goes on together, and nothing waits for what may never come.
    auto piece = call.content().take();
    if (piece.empty()) {
      if (!co_await send_judged()) co_return false;
      save_memory();
      piece = co_await call.content().next();
    }
    if (piece.empty()) break;
    for (bool whole = line.take(piece); whole; whole = line.take(piece)) {
      if (!co_await pass_line(judge, line, "\n")) co_return false;
      line.clear();
    }
  }
  if (call.content().state() != ContentReader::State::Complete) co_return false;
  // The last line need not end in a line end: some of these answers are one document.
  if (!line.empty()) {
    if (!co_await pass_line(judge, line, "")) co_return false;
  }
  co_return co_await send_judged();
}

Task<bool> Relay::send_judged() {
  const auto lines = std::exchange(judged, {});
  judged_size = 0;
  if (lines.empty() || unheard) co_return true;
  co_return heard(co_await answer.write_each(lines));
}

/// True when the line has been passed on, or may be left out.
Task<bool> Relay::pass_line(rules::LineJudge& judge, const LineCutter& line, std::string_view line_end) {
  if (line.too_long()) co_return may_leave_out_lines();
  const auto known_before = inquiry.buffered().bytes();
  for (int round = 0; round < Inquiry::max_rounds; ++round) {
    auto result = judge.judge(line.text());
    if (auto* text = std::get_if<std::optional<std::string>>(&result)) {
      // What a line made it ask is forgotten behind it: a stream goes on for longer than any budget lasts.
      inquiry.buffered().shrink_to(known_before);
      if (*text && !unheard) judged_size += judged.emplace_back((*text)->append(line_end)).size();
      if (judged_size < Connection::buffer_size) co_return true;
      co_return co_await send_judged();
    }
    if (co_await inquiry.learn(std::get<Ask>(result))) break;
  }
  inquiry.buffered().shrink_to(known_before);
  co_return may_leave_out_lines();
}

/// Before the last chunk: a client that has seen the end can rely on what was recorded.
Task<bool> Relay::record(rules::LineJudge& judge) {
  const auto alone = co_await inquiry.hold_images();
  if (!alone) co_return false;
  for (int round = 0; round < Inquiry::max_rounds; ++round) {
    auto result = judge.finish();
    if (const auto* claims = std::get_if<std::vector<rules::Claim>>(&result)) {
      inquiry.record(*claims);
      co_return !judge.lost();
    }
    if (co_await inquiry.learn(std::get<Ask>(result))) co_return false;
  }
  co_return false;
}

}  // namespace

Task<std::variant<std::string, Deny>> whole_answer(UpstreamCall& call, Inquiry& inquiry, Services& services,
                                                   BufferBudget::Share& share) {
  auto content = co_await read_whole(call.content(), services.limits.answer_bytes, share);
  if (auto* deny = std::get_if<Deny>(&content)) co_return std::move(*deny);
  auto& exchange = inquiry.exchange();
  for (int round = 0; round < Inquiry::max_rounds; ++round) {
    auto result = rules::rewrite_answer(exchange.match.endpoint->answer, exchange, std::get<std::string>(content));
    if (auto* deny = std::get_if<Deny>(&result)) co_return std::move(*deny);
    if (auto* rewritten = std::get_if<std::string>(&result)) co_return std::move(*rewritten);
    if (auto deny = co_await inquiry.learn(std::get<Ask>(result))) co_return *std::move(deny);
  }
  co_return bad_answer("references without an end");
}

Task<std::variant<rules::Reply, Deny>> error_answer_of(UpstreamCall& call, Inquiry& inquiry, Services& services,
                                                       BufferBudget::Share& share) {
  auto content = co_await read_whole(call.content(), services.limits.answer_bytes, share);
  if (auto* deny = std::get_if<Deny>(&content)) co_return std::move(*deny);
  const auto& text = std::get<std::string>(content);
  const auto& exchange = inquiry.exchange();
  // What went may be anybody's: its name is not for this client.
  if (rules::tells_of_all(exchange.match.endpoint->answer) && rules::list_passes_by(call.head().status, text))
    co_return Deny{rules::refusal("upstream.changing"), "something was removed meanwhile"};
  co_return rules::rewrite_error(inquiry.exchange(), call.head().status, text);
}

Task<std::optional<Deny>> relay_answer(UpstreamCall& call, Inquiry& inquiry, Services& services, ClientAnswer& answer) {
  Relay relay{call, inquiry, services, answer};
  const auto& head = call.head();
  // Podman always says where its answers end, tunnels apart. Without that an answer cut short would look complete.
  if (head.status < 200 || head.content.kind == Framing::Kind::UntilClose)
    co_return bad_answer("an answer without a length");
  if (head.status >= 400) co_return co_await relay.error();
  if (head.status >= 300 && head.status != 304) co_return bad_answer("a redirection");
  if (head.content.kind == Framing::Kind::None) co_return co_await relay.bytes();
  switch (rules::relay_of(relay.endpoint().answer)) {
    case rules::Relay::Bytes:
    case rules::Relay::Hijack:
      co_return co_await relay.bytes();
    case rules::Relay::Whole:
      co_return co_await relay.whole();
    case rules::Relay::Lines:
      co_return co_await relay.lines();
  }
  co_return bad_answer("an answer that no rule is for");
}

}  // namespace podfence::proxy
