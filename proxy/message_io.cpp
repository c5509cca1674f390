#include "proxy/message_io.hpp"

#include <array>
#include <charconv>
#include <stdexcept>

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

/// More, until the scan has an opinion.
Task<HeadScan::State> receive_head(Connection& connection, HeadScan& scan) {
  auto state = HeadScan::State::Incomplete;
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
  auto state = scan.scan(connection.received());  // most heads are there already
  if (state == HeadScan::State::Incomplete) state = co_await receive_head(connection, scan);
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
    bool goes_on = true;
    if (connection.received().empty()) goes_on = co_await connection.receive();
    auto state = scan.scan(connection.received());
    if (state == HeadScan::State::Incomplete && goes_on) state = co_await receive_head(connection, scan);
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
  if (framing.kind == Framing::Kind::UntilClose) state_ = State::Truncated;  // nobody tells where it ends
}

std::string_view ContentReader::take() {
  if (state_ != State::Open) return {};
  const auto received = connection_.received();
  if (framing_.kind == Framing::Kind::Chunked) return take_chunk();
  const auto piece =
      received.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(received.size(), framing_.size)));
  connection_.consume(piece.size());
  framing_.size -= piece.size();
  if (framing_.size == 0) state_ = State::Complete;
  return piece;
}

std::string_view ContentReader::take_chunk() {
  const auto step = decoder_.advance(connection_.received());
  connection_.consume(step.consumed);
  if (decoder_.state() == ChunkDecoder::State::Done) state_ = State::Complete;
  if (decoder_.state() == ChunkDecoder::State::Malformed) state_ = State::Malformed;
  if (decoder_.state() == ChunkDecoder::State::TooLarge) state_ = State::TooLarge;
  return step.data;
}

ContentPiece ContentReader::take_piece() {
  if (framing_.kind == Framing::Kind::Chunked && state_ == State::Open) return take_framed();
  return take();
}

namespace {

constexpr std::string_view line_end = "\r\n";
/// Sizes of larger chunks are not passed on: what makes sense of them is podfence then, and nobody else.
constexpr std::size_t max_framed_digits = 7;
/// What stands between the contents of two chunks, at most, where there are no extensions.
constexpr std::size_t max_between_chunks = 2 + 16 + 2;

/// What stands before the content of a chunk.
std::string_view size_line(std::array<char, 18>& line, std::size_t size) {
  const auto end = std::to_chars(line.data(), line.data() + 16, size, 16).ptr;
  end[0] = '\r';
  end[1] = '\n';
  return {line.data(), static_cast<std::size_t>(end + 2 - line.data())};
}

}  // namespace

/// How many of the bytes before the content of a chunk are passed on; nullopt: they are not what ContentWriter would
/// write.
std::optional<std::size_t> ContentReader::framing_of(std::string_view before, std::size_t chunk_size) const {
  if (before.empty()) return chunk_is_open_ ? std::optional<std::size_t>(0) : std::nullopt;
  std::array<char, 18> line;
  const auto wanted = size_line(line, chunk_size);
  if (wanted.size() > max_framed_digits + line_end.size() || !before.ends_with(wanted)) return std::nullopt;
  const auto behind_other = before.substr(0, before.size() - wanted.size());
  return behind_other.empty() || behind_other == line_end ? std::optional(wanted.size()) : std::nullopt;
}

/// Every byte is one that ContentWriter would write for this content; the first that is not ends the piece.
ContentPiece ContentReader::take_framed() {
  const auto received = connection_.received();
  std::size_t begin = 0, end = 0, content = 0;
  const auto close_chunk = [&] {
    if (!chunk_is_open_ || !decoder_.is_behind_data() || !received.substr(end).starts_with(line_end)) return;
    end += decoder_.advance(line_end).consumed;
    chunk_is_open_ = false;
  };
  close_chunk();
  while (true) {
    auto decoder = decoder_;
    const auto step = decoder.advance(received.substr(end));
    if (step.data.empty()) break;
    const auto before = received.substr(end, step.consumed - step.data.size());
    const auto framing = framing_of(before, step.data.size() + decoder.left());
    if (!framing) break;
    if (end == 0) begin = before.size() - *framing;
    end += step.consumed;
    content += step.data.size();
    decoder_ = decoder;
    chunk_is_open_ = true;
    close_chunk();
  }
  if (end == 0) return take_unframed();
  connection_.consume(end);
  return ContentPiece::framed(received.substr(begin, end - begin), content);
}

/// What does not begin as ContentWriter would write it: the end, another form of a chunk, or too little to tell.
ContentPiece ContentReader::take_unframed() {
  auto decoder = decoder_;
  const auto step = decoder.advance(connection_.received());
  const bool goes_on = decoder.state() == ChunkDecoder::State::Reading;
  if (goes_on && step.data.empty() && step.consumed <= max_between_chunks) return {};
  return take_chunk();
}

Task<std::string_view> ContentReader::next() { return next_of(&ContentReader::take); }

Task<ContentPiece> ContentReader::next_piece() { return next_of(&ContentReader::take_piece); }

template <class What>
Task<What> ContentReader::next_of(What (ContentReader::*taken)()) {
  while (state_ == State::Open) {
    if (const auto piece = (this->*taken)(); !piece.empty()) co_return piece;
    if (state_ == State::Open && !co_await connection_.receive()) state_ = State::Truncated;
  }
  co_return What();
}

Task<bool> ContentWriter::write_each(const std::vector<std::string>& pieces) {
  std::string text;
  std::array<char, 18> line;
  for (const auto& piece : pieces) {
    if (piece.empty()) continue;
    if (framing_.kind == Framing::Kind::Chunked)
      text.append(size_line(line, piece.size())).append(piece).append(line_end);
    else
      text.append(piece);
  }
  co_return co_await connection_.send(text);
}

Task<bool> ContentWriter::write(ContentPiece piece, std::string_view head) {
  if (piece.empty() && head.empty()) co_return true;
  using boost::asio::buffer;
  Connection::Pieces parts{buffer(head)};
  std::array<char, 18> line;
  const bool is_chunked = framing_.kind == Framing::Kind::Chunked;
  if (piece.is_framed && !is_chunked) throw std::logic_error("chunks in a message that has none");
  if (is_chunked && !piece.is_framed && !piece.empty()) {
    parts[1] = buffer(size_line(line, piece.bytes.size()));
    parts[3] = buffer(line_end);
  }
  parts[2] = buffer(piece.bytes);
  co_return co_await connection_.send(parts);
}

Task<bool> ContentWriter::finish() {
  if (framing_.kind == Framing::Kind::Chunked) co_return co_await connection_.send("0\r\n\r\n");
  co_return true;
}

}  // namespace podfence::proxy
