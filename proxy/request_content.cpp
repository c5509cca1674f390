#include "proxy/request_content.hpp"

#include <chrono>
#include <utility>

#include "rules/refusal.hpp"

namespace podfence::proxy {

RequestContent::RequestContent(Connection& connection, Deadline& deadline, const Limits& limits,
                               const RequestHead& head, rules::AuditRecord& record, Waits* waits)
    : connection_(connection),
      deadline_(deadline),
      limits_(limits),
      record_(record),
      waits_(waits),
      framing_(head.content),
      reader_(connection, head.content, ChunkDecoder::Trailers::Refuse,
              {.extension_bytes = limits.chunk_extension_bytes}),
      continue_awaited_(head.expects_continue && head.content.has_content()) {}

Task<std::string_view> RequestContent::next() { return next_of(&ContentReader::next); }

Task<ContentPiece> RequestContent::next_piece() { return next_of(&ContentReader::next_piece); }

template <class What>
Task<What> RequestContent::next_of(Task<What> (ContentReader::*read)()) {
  const Deadline::Scope limited(deadline_, limits_.content_idle_time);
  if (std::exchange(continue_awaited_, false) && connection_.received().empty() &&
      !co_await connection_.send("HTTP/1.1 100 Continue\r\n\r\n"))
    co_return What();
  const auto what = co_await (reader_.*read)();
  late_ = deadline_.passed();
  record_.bytes_in += ContentPiece(what).content;
  co_return what;
}

Task<std::optional<std::string>> RequestContent::read_whole(std::size_t limit, BufferBudget::Share& share) {
  std::string whole;
  if (framing_.kind == Framing::Kind::Sized && framing_.size > limit) {
    exceeded_ = limit;
    co_return std::nullopt;
  }
  // It takes room while it comes: that it comes at all is not enough.
  const auto end = std::chrono::steady_clock::now() + limits_.content_idle_time;
  while (true) {
    const auto piece = co_await next();
    if (piece.empty()) break;
    late_ = std::chrono::steady_clock::now() > end;
    if (late_) co_return std::nullopt;
    if (piece.size() > limit - whole.size()) {
      exceeded_ = limit;
      co_return std::nullopt;
    }
    if (!share.take(piece.size())) {
      crowded_ = true;
      co_return std::nullopt;
    }
    whole.append(piece);
  }
  if (!complete()) co_return std::nullopt;
  co_return whole;
}

rules::Deny RequestContent::failure() const {
  using rules::refusal;
  if (exceeded_ > 0) return {refusal("content.too-large"), std::to_string(exceeded_), rules::Kind::None};
  if (crowded_) return {refusal("server.busy"), "too much content waits to be judged", rules::Kind::None};
  if (late_) return {refusal("http.timeout"), "the content", rules::Kind::None};
  if (reader_.state() == ContentReader::State::TooLarge)
    return {refusal("http.chunk-extensions"), std::to_string(limits_.chunk_extension_bytes), rules::Kind::None};
  const bool malformed = reader_.state() == ContentReader::State::Malformed;
  return {refusal("http.framing"),
          malformed ? "a chunk that is not well formed, or a trailer" : "the content ended before it was complete",
          rules::Kind::None};
}

}  // namespace podfence::proxy
