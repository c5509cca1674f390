#include "proxy/message_io.hpp"

#include <array>
#include <charconv>
#include <cstring>

#include "proxy/head_scan.hpp"
#include "rules/ascii.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace {

constexpr std::size_t max_answer_head = 32 * 1024;
constexpr int max_interim_answers = 16;

/// A start line with more than its method in it is too long because of its target (RFC 9112 section 3).
bool is_in_target(const HeadScan& scan, std::string_view received) {
  return scan.is_in_start_line() && received.substr(0, scan.size()).find(' ') != std::string_view::npos;
}

rules::Deny deny_for(HeadScan::State state, bool in_target, const Limits& limits) {
  using rules::refusal;
  switch (state) {
    case HeadScan::State::TooLarge:
      if (in_target) return {refusal("target.length"), std::to_string(limits.target_bytes), rules::Kind::None};
      return {refusal("http.head-too-large"), std::to_string(limits.head_bytes), rules::Kind::None};
    case HeadScan::State::Folded:
      return {refusal("http.syntax"), "a folded line", rules::Kind::None};
    case HeadScan::State::Nul:
      return {refusal("http.syntax"), "a NUL byte", rules::Kind::None};
    case HeadScan::State::BareLineEnd:
    case HeadScan::State::Incomplete:
    case HeadScan::State::Complete:
      break;
  }
  return {refusal("http.syntax"), "a line that does not end in CR LF", rules::Kind::None};
}

/// Reads until the scan has an opinion.
Task<HeadScan::State> scan_head(Connection& connection, HeadScan& scan) {
  auto state = scan.scan(connection.received());
  while (state == HeadScan::State::Incomplete) {
    if (!co_await connection.receive()) break;
    state = scan.scan(connection.received());
  }
  co_return state;
}

}  // namespace

Task<std::variant<RequestHead, RefusedHead, Ended>> read_request_head(Connection& connection, const Limits& limits) {
  if (connection.received().empty() && !co_await connection.receive()) co_return Ended{};
  // Something else than HTTP, or the rest of a message whose end was misjudged by its sender, need not be waited for.
  if (!rules::ascii::is_alphanumeric(connection.received()[0]))
    co_return RefusedHead{
        {rules::refusal("http.syntax"), "it does not begin with a method", rules::Kind::None}, {}, {}};
  HeadScan scan(limits.head_bytes);
  const auto state = co_await scan_head(connection, scan);
  if (state == HeadScan::State::Incomplete) co_return Ended{};
  if (state != HeadScan::State::Complete)
    co_return RefusedHead{deny_for(state, is_in_target(scan, connection.received()), limits), {}, {}};
  auto parsed = parse_request_head(connection.received().substr(0, scan.size()), limits.fields);
  connection.consume(scan.size());
  if (auto* refused = std::get_if<RefusedHead>(&parsed)) co_return std::move(*refused);
  co_return std::get<RequestHead>(std::move(parsed));
}

Task<std::variant<AnswerHead, AnswerFailure>> read_answer_head(Connection& connection, bool to_head, bool upgrade) {
  for (int interim = 0; interim <= max_interim_answers; ++interim) {
    HeadScan scan(max_answer_head);
    const auto state = co_await scan_head(connection, scan);
    if (state == HeadScan::State::Incomplete && connection.received().empty() && interim == 0)
      co_return AnswerFailure::Silent;
    if (state != HeadScan::State::Complete) break;
    auto head = parse_answer_head(connection.received().substr(0, scan.size()), to_head);
    connection.consume(scan.size());
    if (!head) break;
    if (head->status >= 200 || (head->status == 101 && upgrade)) co_return std::move(*head);
    if (head->status == 101) break;
  }
  co_return AnswerFailure::Invalid;
}

ContentReader::ContentReader(Connection& connection, const Framing& framing, ChunkDecoder::Trailers trailers,
                             const ChunkDecoder::Limits& chunk_limits)
    : connection_(connection), framing_(framing), decoder_(trailers, chunk_limits) {
  if (!framing.has_content()) state_ = State::Complete;
}

std::string_view ContentReader::take() {
  if (state_ != State::Open) return {};
  const auto received = connection_.received();
  if (framing_.kind == Framing::Kind::Chunked) return take_chunks();
  const auto piece =
      received.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(received.size(), framing_.size)));
  connection_.consume(piece.size());
  framing_.size -= piece.size();
  if (framing_.size == 0) state_ = State::Complete;
  return piece;
}

std::string_view ContentReader::take_chunks() {
  const auto received = connection_.received();
  auto decoder = decoder_;
  auto step = decoder.advance(received);
  // The rest of the chunk need not be waited for: so that it is one chunk on the other side as well.
  if (!step.data.empty() && step.consumed == received.size() && connection_.more_waits()) return {};
  // Of a stream that fills large buffers, chunks move together to be one.
  std::size_t size = step.data.size();
  if (size > 0 && received.size() > Connection::buffer_size) {
    char* const begin = connection_.received_bytes() + (step.data.data() - received.data());
    while (step.consumed < received.size() && decoder.state() == ChunkDecoder::State::Reading) {
      const auto next = decoder.advance(received.substr(step.consumed));
      step.consumed += next.consumed;
      if (next.data.empty()) continue;
      std::memmove(begin + size, next.data.data(), next.data.size());
      size += next.data.size();
    }
  }
  decoder_ = decoder;
  connection_.consume(step.consumed);
  if (decoder_.state() == ChunkDecoder::State::Done) state_ = State::Complete;
  if (decoder_.state() == ChunkDecoder::State::Malformed) state_ = State::Malformed;
  if (decoder_.state() == ChunkDecoder::State::TooLarge) state_ = State::TooLarge;
  return {step.data.data(), size};
}

Task<std::string_view> ContentReader::next() {
  while (state_ == State::Open) {
    if (const auto piece = take(); !piece.empty()) co_return piece;
    if (state_ == State::Open && !co_await connection_.receive()) state_ = State::Truncated;
  }
  co_return std::string_view();
}

namespace {

/// What stands before the content of a chunk.
std::string_view size_line(std::array<char, 18>& line, std::size_t size) {
  const auto end = std::to_chars(line.data(), line.data() + 16, size, 16).ptr;
  end[0] = '\r';
  end[1] = '\n';
  return {line.data(), static_cast<std::size_t>(end + 2 - line.data())};
}

}  // namespace

Task<bool> ContentWriter::write_each(const std::vector<std::string>& pieces) {
  std::string text;
  std::array<char, 18> line;
  for (const auto& piece : pieces) {
    if (piece.empty()) continue;
    if (framing_.kind == Framing::Kind::Chunked)
      text.append(size_line(line, piece.size())).append(piece).append("\r\n");
    else
      text.append(piece);
  }
  co_return co_await connection_.send(text);
}

Task<bool> ContentWriter::write(std::string_view piece, std::string_view head) {
  if (piece.empty() && head.empty()) co_return true;
  using boost::asio::buffer;
  Connection::Pieces parts{buffer(head)};
  std::array<char, 18> line;
  if (framing_.kind == Framing::Kind::Chunked && !piece.empty()) {
    parts[1] = buffer(size_line(line, piece.size()));
    parts[3] = buffer("\r\n", 2);
  }
  parts[2] = buffer(piece);
  co_return co_await connection_.send(parts);
}

Task<bool> ContentWriter::finish() {
  if (framing_.kind == Framing::Kind::Chunked) co_return co_await connection_.send("0\r\n\r\n");
  co_return true;
}

}  // namespace podfence::proxy
