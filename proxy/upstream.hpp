#pragma once
// Podman's end: connections to its socket, a few idle ones kept, and one request with its answer. Podman closes idle
// connections after about ten seconds, so a kept one is young, looked at before use, and only used for requests that
// may be sent twice; every other request gets a connection of its own.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "proxy/buffer_budget.hpp"
#include "proxy/content_source.hpp"
#include "proxy/message_io.hpp"
#include "proxy/unix_socket.hpp"
#include "proxy/waits.hpp"
#include "rules/decision.hpp"

namespace podfence::proxy {

class Upstream {
 public:
  /// Called for each new connection: one that does not block, or the error number.
  using Connect = std::function<Connected()>;

  /// `chunk_limits`: of its answers.
  Upstream(Executor executor, Connect connect, const ChunkDecoder::Limits& chunk_limits = ChunkDecoder::Limits())
      : executor_(std::move(executor)), connect_(std::move(connect)), chunk_limits_(chunk_limits) {}

  using Held = std::unique_ptr<Connection>;  ///< Asio's sockets are not cheap to move

  /// nullptr: nobody listens.
  Task<Held> connect();
  /// nullptr: there is none.
  Held take_idle();
  void keep(Held connection);
  void close_idle() { idle_.clear(); }
  /// Those that nobody has wanted for a while.
  void close_stale();
  const ChunkDecoder::Limits& chunk_limits() const { return chunk_limits_; }

  /// What came of the calls.
  struct Health {
    std::uint64_t answered = 0;
    std::uint64_t unreachable = 0;
    std::uint64_t invalid = 0;
    bool up = false;                                      ///< the last call was answered
    std::chrono::system_clock::time_point last_answer{};  ///< the epoch: there was none
  };
  const Health& health() const { return health_; }
  Health& health() { return health_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Idle {
    Held connection;
    Clock::time_point since;
  };

  Executor executor_;
  Connect connect_;
  ChunkDecoder::Limits chunk_limits_;
  std::vector<Idle> idle_;
  Health health_;
};

/// To a unix socket.
Upstream::Connect connect_to_socket(const std::string& path);

/// The whole message, or its head when the content is streamed behind it. `upgrade`: it asks for a tunnel.
std::string write_request(const rules::UpstreamRequest& request, bool streamed, bool upgrade);

/// One request to upstream and its answer. The connection goes back to the idle ones when both were complete, otherwise
/// it is closed.
class UpstreamCall {
 public:
  enum class Outcome {
    Answered,      ///< head() is there; also when it came before all content was sent
    Unreachable,   ///< no connection
    Invalid,       ///< no answer, or none that may be passed on
    SourceFailed,  ///< the client's content ended before it was complete; upstream cannot take it for complete
  };

  /// `waits`: of the exchange that it is for.
  explicit UpstreamCall(Upstream& upstream, Waits* waits = nullptr) : upstream_(upstream), waits_(waits) {}
  ~UpstreamCall();
  UpstreamCall(const UpstreamCall&) = delete;
  UpstreamCall& operator=(const UpstreamCall&) = delete;

  /// `source`: content that is streamed instead of the request's own. `upgrade`: ask for a tunnel.
  Task<Outcome> send(const rules::UpstreamRequest& request, ContentSource* source = nullptr, bool upgrade = false);

  const AnswerHead& head() const { return head_; }
  /// The head's fields, which it has no longer then.
  rules::Fields take_fields() { return std::exchange(head_.fields, {}); }
  ContentReader& content() { return *content_; }
  Connection& connection() { return *connection_; }

 private:
  Task<Outcome> call(const rules::UpstreamRequest& request, ContentSource* source, bool upgrade);
  void note(Outcome outcome);
  void use(Upstream::Held connection);
  Task<std::optional<Outcome>> attempt(std::string_view message, ContentSource* source, bool to_head, bool upgrade);
  Task<void> transmit(std::string_view message, ContentSource* source);
  Task<void> stream(ContentSource& source);

  Upstream& upstream_;
  Waits* waits_;
  Upstream::Held connection_;
  std::optional<ContentReader> content_;
  AnswerHead head_;
  bool sent_ = false;  ///< all of the request
  bool source_failed_ = false;
};

/// nullopt for Answered. SourceFailed is for the source to explain.
std::optional<rules::Deny> refusal_for(UpstreamCall::Outcome outcome);

/// All content; why not, when it is larger than `limit` or than what is left of the budget, or not complete.
Task<std::variant<std::string, rules::Deny>> read_whole(ContentReader& content, std::size_t limit,
                                                        BufferBudget::Share& share);

struct WholeAnswer {
  int status = 0;
  std::string content = {};
};
/// For what is only asked; long lists on a slow disk are among it.
constexpr std::chrono::seconds question_time{60};
/// A request of podfence's own, and all of what is answered. `time`: for one that only reads; what changes something
/// takes as long as it takes.
Task<std::variant<WholeAnswer, rules::Deny>> ask_whole(Upstream& upstream, rules::UpstreamRequest request,
                                                       std::size_t limit, BufferBudget::Share& share,
                                                       std::chrono::seconds time = question_time);
rules::Deny no_answer_within(std::chrono::seconds time);

}  // namespace podfence::proxy
