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

rules::Deny deny_for(HeadScan::State state, std::size_t limit) {
  using rules::refusal;
  switch (state) {
    case HeadScan::State::TooLarge:
      return {refusal("http.head-too-large"), std::to_string(limit), rules::Kind::None};
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

bool holds_line_end(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

void append_field(std::string& head, std::string_view name, std::string_view value) {
  // What comes here was parsed or made by us; a line end in it would be somebody else's field.
  if (holds_line_end(name) || holds_line_end(value)) throw std::logic_error("a header field holds a line end");
  head.append(name).append(": ").append(value).append("\r\n");
}

void append_framing(std::string& head, const Framing& content) {
  if (content.kind == Framing::Kind::Chunked) append_field(head, "Transfer-Encoding", "chunked");
  if (content.kind == Framing::Kind::Sized) append_field(head, "Content-Length", std::to_string(content.size));
}

}  // namespace

Task<std::variant<RequestHead, RefusedHead, Ended>> read_request_head(Connection& connection, std::size_t limit) {
  if (connection.received().empty() && !co_await connection.receive()) co_return Ended{};
  // Something else than HTTP, or the rest of a message whose end was misjudged by its sender, need not be waited for.
  if (!rules::ascii::is_alphanumeric(connection.received()[0]))
    co_return RefusedHead{
        {rules::refusal("http.syntax"), "it does not begin with a method", rules::Kind::None}, {}, {}};
  HeadScan scan(limit);
  const auto state = co_await scan_head(connection, scan);
  if (state == HeadScan::State::Incomplete) co_return Ended{};
  if (state != HeadScan::State::Complete) co_return RefusedHead{deny_for(state, limit), {}, {}};
  auto parsed = parse_request_head(connection.received().substr(0, scan.size()));
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

ContentReader::ContentReader(Connection& connection, const Framing& framing, ChunkDecoder::Trailers trailers)
    : connection_(connection), framing_(framing), decoder_(trailers) {
  if (!framing.has_content()) state_ = State::Complete;
}

std::string_view ContentReader::take() {
  if (state_ != State::Open) return {};
  const auto received = connection_.received();
  if (framing_.kind == Framing::Kind::Chunked) {
    auto decoder = decoder_;
    const auto step = decoder.advance(received);
    // The rest of the chunk need not be waited for: so that it is one chunk on the other side as well.
    if (!step.data.empty() && step.consumed == received.size() && connection_.more_waits()) return {};
    decoder_ = decoder;
    connection_.consume(step.consumed);
    if (decoder_.state() == ChunkDecoder::State::Done) state_ = State::Complete;
    if (decoder_.state() == ChunkDecoder::State::Malformed) state_ = State::Malformed;
    return step.data;
  }
  const auto piece =
      received.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(received.size(), framing_.size)));
  connection_.consume(piece.size());
  framing_.size -= piece.size();
  if (framing_.size == 0) state_ = State::Complete;
  return piece;
}

Task<std::string_view> ContentReader::next() {
  while (state_ == State::Open) {
    if (const auto piece = take(); !piece.empty()) co_return piece;
    if (state_ == State::Open && !co_await connection_.receive()) state_ = State::Truncated;
  }
  co_return std::string_view();
}

Task<bool> ContentWriter::write(std::string_view piece, std::string_view head) {
  if (piece.empty() && head.empty()) co_return true;
  using boost::asio::buffer;
  std::array<boost::asio::const_buffer, 4> parts{buffer(head)};
  std::array<char, 18> line;
  if (framing_.kind == Framing::Kind::Chunked && !piece.empty()) {
    const auto end = std::to_chars(line.data(), line.data() + 16, piece.size(), 16).ptr;
    end[0] = '\r';
    end[1] = '\n';
    parts[1] = buffer(line.data(), static_cast<std::size_t>(end + 2 - line.data()));
    parts[3] = buffer("\r\n", 2);
  }
  parts[2] = buffer(piece);
  co_return co_await connection_.send(parts);
}

Task<bool> ContentWriter::finish() {
  if (framing_.kind == Framing::Kind::Chunked) co_return co_await connection_.send("0\r\n\r\n");
  co_return true;
}

std::string write_request_head(const rules::UpstreamRequest& request, const Framing& content, bool upgrade) {
  if (holds_line_end(request.target) || request.target.find(' ') != std::string::npos)
    throw std::logic_error("a request target holds white space");
  std::string head;
  head.append(rules::text(request.method)).append(" ").append(request.target).append(" HTTP/1.1\r\n");
  append_field(head, "Host", "d");
  for (const auto& field : request.fields) append_field(head, field.name, field.value);
  append_framing(head, content);
  if (upgrade) head.append("Connection: Upgrade\r\nUpgrade: tcp\r\n");
  return head.append("\r\n");
}

std::string write_answer_head(int status, const rules::Fields& fields, const Framing& content) {
  std::string head("HTTP/1.1 ");
  head.append(std::to_string(status)).append(" ").append(reason_phrase(status)).append("\r\n");
  for (const auto& field : fields) append_field(head, field.name, field.value);
  append_framing(head, content);
  return head.append("\r\n");
}

}  // namespace podfence::proxy
