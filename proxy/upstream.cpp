#include "proxy/upstream.hpp"

#include <sys/socket.h>

#include <boost/asio/steady_timer.hpp>
#include <cerrno>

#include "proxy/concurrently.hpp"
#include "proxy/head_text.hpp"
#include "proxy/time_limit.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t max_idle = 64;
constexpr auto max_idle_time = 5s;
constexpr int connect_attempts = 100;
constexpr auto connect_pause = 20ms;

/// As much as the kernel always takes at once on an idle unix socket: sending it cannot block.
constexpr std::size_t never_blocks = 64 * 1024;

bool may_be_sent_twice(const rules::UpstreamRequest& request) {
  return rules::is_safe(request.method) && !request.once;
}

using Heard = std::variant<WholeAnswer, rules::Deny>;

Task<Heard> ask_and_hear(Upstream& upstream, const rules::UpstreamRequest& request, std::size_t limit,
                         BufferBudget::Share& share) {
  UpstreamCall call(upstream);
  if (auto deny = refusal_for(co_await call.send(request))) co_return *std::move(deny);
  auto content = co_await read_whole(call.content(), limit, share);
  if (auto* deny = std::get_if<rules::Deny>(&content)) co_return std::move(*deny);
  co_return WholeAnswer{call.head().status, std::get<std::string>(std::move(content))};
}

}  // namespace

std::string write_request(const rules::UpstreamRequest& request, bool streamed, bool upgrade) {
  auto framing = rules::is_safe(request.method) ? Framing{} : Framing::sized(0);
  if (request.content) framing = Framing::sized(request.content->size());
  if (streamed) return write_request_head(request, Framing::chunked(), upgrade);
  return write_request_head(request, framing, upgrade).append(request.content.value_or(""));
}

Upstream::Connect connect_to_socket(const std::string& path) {
  return [path] { return connect_to(unix_address(path), SOCK_NONBLOCK); };
}

Task<Upstream::Held> Upstream::connect() {
  asio::steady_timer pause(executor_);
  for (int attempt = 0; attempt < connect_attempts; ++attempt) {
    auto [file, error] = connect_();
    if (error == 0) {
      Connection::Socket socket(executor_);
      boost::system::error_code failure;
      socket.assign(asio::local::stream_protocol(), file.release(), failure);
      if (!failure) socket.native_non_blocking(true, failure);  // as it is: Asio is told
      if (failure) break;
      co_return std::make_unique<Connection>(std::move(socket));
    }
    if (error != EAGAIN && error != EINTR) break;
    pause.expires_after(connect_pause);
    co_await pause.async_wait(as_task);
  }
  co_return nullptr;
}

Upstream::Held Upstream::take_idle() {
  const auto oldest = Clock::now() - max_idle_time;
  while (!idle_.empty()) {
    auto idle = std::move(idle_.back());
    idle_.pop_back();
    if (idle.since >= oldest && idle.connection->is_quiet()) return std::move(idle.connection);
  }
  return nullptr;
}

void Upstream::close_stale() {
  const auto oldest = Clock::now() - max_idle_time;
  std::erase_if(idle_, [&](const Idle& idle) { return idle.since < oldest; });
}

void Upstream::keep(Held connection) {
  close_stale();
  if (idle_.size() < max_idle) idle_.push_back({std::move(connection), Clock::now()});
}

UpstreamCall::~UpstreamCall() {
  if (connection_) connection_->add_waits_to(nullptr);
  const bool complete = sent_ && content_ && content_->state() == ContentReader::State::Complete;
  if (complete && head_.keep_alive && head_.status >= 200 && connection_->received().empty())
    upstream_.keep(std::move(connection_));
}

void UpstreamCall::use(Upstream::Held connection) {
  connection_ = std::move(connection);
  connection_->add_waits_to(waits_ ? &waits_->upstream : nullptr);
}

/// What the client fails to send says nothing about upstream.
void UpstreamCall::note(Outcome outcome) {
  auto& health = upstream_.health();
  if (outcome == Outcome::SourceFailed) return;
  health.up = outcome == Outcome::Answered;
  if (health.up) health.last_answer = std::chrono::system_clock::now();
  ++(health.up ? health.answered : outcome == Outcome::Unreachable ? health.unreachable : health.invalid);
}

Task<UpstreamCall::Outcome> UpstreamCall::send(const rules::UpstreamRequest& request, ContentSource* source,
                                               bool upgrade) {
  const auto outcome = co_await call(request, source, upgrade);
  note(outcome);
  co_return outcome;
}

Task<UpstreamCall::Outcome> UpstreamCall::call(const rules::UpstreamRequest& request, ContentSource* source,
                                               bool upgrade) {
  const auto message = write_request(request, source != nullptr, upgrade);
  const bool to_head = request.method == rules::Method::Head;
  if (may_be_sent_twice(request) && !upgrade) {
    if (auto idle = upstream_.take_idle()) {
      use(std::move(idle));
      if (const auto outcome = co_await attempt(message, source, to_head, upgrade)) co_return *outcome;
    }
  }
  auto fresh = co_await upstream_.connect();
  if (!fresh) co_return Outcome::Unreachable;
  use(std::move(fresh));
  const auto outcome = co_await attempt(message, source, to_head, upgrade);
  co_return outcome.value_or(Outcome::Invalid);
}

/// nullopt: upstream ended the connection without a byte of an answer.
Task<std::optional<UpstreamCall::Outcome>> UpstreamCall::attempt(std::string_view message, ContentSource* source,
                                                                 bool to_head, bool upgrade) {
  sent_ = source_failed_ = false;
  if (!source && message.size() <= never_blocks) {
    sent_ = co_await connection_->send(message);
  } else {
    // Upstream may answer before it has read everything, and stop reading.
    const bool answers_early = co_await first_of(transmit(message, source), connection_->until_readable()) == 1;
    if (source_failed_ && !answers_early) co_return Outcome::SourceFailed;
  }
  auto head = co_await read_answer_head(*connection_, to_head, upgrade);
  if (const auto* failure = std::get_if<AnswerFailure>(&head)) {
    if (*failure == AnswerFailure::Silent) co_return std::nullopt;
    co_return Outcome::Invalid;
  }
  head_ = std::get<AnswerHead>(std::move(head));
  content_.emplace(*connection_, head_.content, ChunkDecoder::Trailers::Drop, upstream_.chunk_limits());
  co_return Outcome::Answered;
}

Task<void> UpstreamCall::transmit(std::string_view message, ContentSource* source) {
  const bool begun = co_await connection_->send(message);
  sent_ = begun && !source;
  if (begun && source) co_await stream(*source);
}

Task<void> UpstreamCall::stream(ContentSource& source) {
  ContentWriter writer(*connection_, Framing::chunked());
  sent_ = false;
  while (true) {
    const auto piece = co_await source.next_piece();
    if (piece.empty()) break;
    if (!co_await writer.write(piece)) co_return;
  }
  // An incomplete content gets no last chunk: upstream must not take it for complete.
  source_failed_ = !source.complete();
  sent_ = !source_failed_ && co_await writer.finish();
}

std::optional<rules::Deny> refusal_for(UpstreamCall::Outcome outcome) {
  using rules::refusal;
  switch (outcome) {
    case UpstreamCall::Outcome::Answered:
      return std::nullopt;
    case UpstreamCall::Outcome::Unreachable:
      return rules::Deny{refusal("upstream.unreachable"), "nobody listens on its socket", rules::Kind::None};
    case UpstreamCall::Outcome::Invalid:
    case UpstreamCall::Outcome::SourceFailed:
      break;
  }
  return rules::Deny{refusal("upstream.answer"), "not one whole HTTP/1.1 answer", rules::Kind::None};
}

Task<std::variant<std::string, rules::Deny>> read_whole(ContentReader& content, std::size_t limit,
                                                        BufferBudget::Share& share) {
  using rules::refusal;
  const auto before = share.bytes();
  std::string whole;
  rules::Deny failure{refusal("upstream.answer"), "one that is not complete, or too long", rules::Kind::None};
  while (true) {
    const auto piece = co_await content.next();
    if (piece.empty() && content.state() == ContentReader::State::Complete) co_return whole;
    if (piece.empty() || piece.size() > limit - whole.size()) break;
    if (!share.take(piece.size())) {
      failure = {refusal("server.busy"), "large answers wait for their readers", rules::Kind::None};
      break;
    }
    whole.append(piece);
  }
  share.shrink_to(before);
  co_return failure;
}

rules::Deny no_answer_within(std::chrono::seconds time) {
  return {rules::refusal("upstream.unreachable"), "no answer within " + std::to_string(time.count()) + " s",
          rules::Kind::None};
}

Task<std::variant<WholeAnswer, rules::Deny>> ask_whole(Upstream& upstream, rules::UpstreamRequest request,
                                                       std::size_t limit, BufferBudget::Share& share,
                                                       std::chrono::seconds time) {
  auto asking = ask_and_hear(upstream, request, limit, share);
  if (!rules::is_safe(request.method)) co_return co_await std::move(asking);
  auto heard = co_await in_time(std::move(asking), time);
  if (heard) co_return *std::move(heard);
  upstream.health().up = false;
  co_return no_answer_within(time);
}

}  // namespace podfence::proxy
