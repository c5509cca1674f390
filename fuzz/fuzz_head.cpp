// Heads and framing, of requests and of answers: what is accepted is written and read again as the same, ends where a
// second parser says, and is the same however the bytes were cut. Several messages may follow each other.

#include <optional>
#include <tuple>
#include <variant>
#include <vector>

#include "fuzz/fuzz.hpp"
#include "fuzz/strict_message.hpp"
#include "proxy/chunk_decoder.hpp"
#include "proxy/framing.hpp"
#include "proxy/head_scan.hpp"
#include "proxy/head_text.hpp"
#include "rules/answer.hpp"

using namespace podfence;
using namespace podfence::proxy;
using fuzz::claim;
using fuzz::Pieces;
using fuzz::Side;

namespace {

constexpr std::size_t head_limit = 4096;
constexpr std::size_t most_messages = 4;

bool operator==(const proxy::Framing& a, const proxy::Framing& b) { return a.kind == b.kind && a.size == b.size; }
bool same(const RequestHead& a, const RequestHead& b) {
  return a.content == b.content &&
         std::tie(a.method, a.target, a.registry_auth, a.keep_alive, a.upgrade, a.expects_continue) ==
             std::tie(b.method, b.target, b.registry_auth, b.keep_alive, b.upgrade, b.expects_continue);
}
bool same(const rules::Fields& a, const rules::Fields& b) {
  return std::ranges::equal(a, b, [](const rules::Field& one, const rules::Field& other) {
    return one.name == other.name && one.value == other.value;
  });
}
bool same(const AnswerHead& a, const AnswerHead& b) {
  return a.status == b.status && a.content == b.content && a.keep_alive == b.keep_alive && same(a.fields, b.fields);
}

/// What the proxy made of one message.
struct Reading {
  enum class End { Incomplete, Refused, Complete } end = End::Incomplete;
  std::string why;  ///< the rule of a refusal
  std::optional<RequestHead> request;
  std::optional<AnswerHead> answer;
  std::size_t head = 0;  ///< bytes
  std::size_t size = 0;
  std::string content;
};

bool same(const Reading& a, const Reading& b) {
  if (std::tie(a.end, a.why, a.head, a.size, a.content) != std::tie(b.end, b.why, b.head, b.size, b.content))
    return false;
  if (a.request.has_value() != b.request.has_value() || a.answer.has_value() != b.answer.has_value()) return false;
  return (!a.request || same(*a.request, *b.request)) && (!a.answer || same(*a.answer, *b.answer));
}

/// Reads one message of an input that arrives in pieces, as message_io.cpp does from a connection.
class Reader {
 public:
  Reader(std::string_view input, Pieces pieces, Side side) : input_(input), pieces_(pieces), side_(side) {}

  Reading read() {
    if (read_head()) read_content(reading_.request ? reading_.request->content : reading_.answer->content);
    return std::move(reading_);
  }

 private:
  bool receive() {
    if (received_ == input_.size()) return false;
    received_ += pieces_.next(input_.size() - received_);
    return true;
  }

  bool refuse(std::string_view why) {
    reading_.end = Reading::End::Refused;
    reading_.why = why;
    return false;
  }

  bool read_head() {
    HeadScan scan(head_limit);
    auto state = scan.scan(input_.substr(0, received_));
    while (state == HeadScan::State::Incomplete && receive()) state = scan.scan(input_.substr(0, received_));
    if (state == HeadScan::State::Incomplete) return false;
    if (state != HeadScan::State::Complete) return refuse("scan " + std::to_string(static_cast<int>(state)));
    reading_.head = reading_.size = scan.size();
    const auto head = input_.substr(0, scan.size());
    if (side_ != Side::Request) {
      reading_.answer = parse_answer_head(head, side_ == Side::AnswerToHead);
      return reading_.answer || refuse("answer");
    }
    auto parsed = parse_request_head(head);
    if (auto* refused = std::get_if<RefusedHead>(&parsed)) return refuse(refused->deny.rule->id);
    reading_.request = std::get<RequestHead>(std::move(parsed));
    return true;
  }

  void read_content(const proxy::Framing& framing) {
    if (!framing.has_content()) {
      reading_.end = Reading::End::Complete;
    } else if (framing.kind == proxy::Framing::Kind::Chunked) {
      read_chunks();
    } else {
      while (framing.kind == proxy::Framing::Kind::UntilClose || received_ - reading_.head < framing.size)
        if (!receive()) break;
      const auto size = std::min<std::uint64_t>(framing.size, received_ - reading_.head);
      const bool sized = framing.kind == proxy::Framing::Kind::Sized;
      reading_.content = input_.substr(reading_.head, sized ? static_cast<std::size_t>(size) : received_);
      reading_.size += reading_.content.size();
      if (sized && size == framing.size) reading_.end = Reading::End::Complete;
    }
  }

  void read_chunks() {
    ChunkDecoder decoder(side_ == Side::Request ? ChunkDecoder::Trailers::Refuse : ChunkDecoder::Trailers::Drop);
    while (decoder.state() == ChunkDecoder::State::Reading) {
      const auto step = decoder.advance(input_.substr(reading_.size, received_ - reading_.size));
      reading_.size += step.consumed;
      reading_.content += step.data;
      if (reading_.size == received_ && decoder.state() == ChunkDecoder::State::Reading && !receive()) return;
    }
    if (decoder.state() == ChunkDecoder::State::Malformed) refuse("chunk");
    if (decoder.state() == ChunkDecoder::State::Done) reading_.end = Reading::End::Complete;
  }

  std::string_view input_;
  Pieces pieces_;
  Side side_;
  std::size_t received_ = 0;
  Reading reading_;
};

std::string written(const RequestHead& head) {
  std::string text(rules::text(head.method));
  text.append(" ").append(head.target).append(" HTTP/1.1\r\nHost: d\r\n");
  if (head.content.kind == proxy::Framing::Kind::Sized)
    text += "Content-Length: " + std::to_string(head.content.size) + "\r\n";
  if (head.content.kind == proxy::Framing::Kind::Chunked) text += "Transfer-Encoding: chunked\r\n";
  if (!head.keep_alive) text += "Connection: close\r\n";
  if (head.upgrade) text += "Connection: Upgrade\r\nUpgrade: tcp\r\n";
  if (head.expects_continue) text += "Expect: 100-continue\r\n";
  if (!head.registry_auth.empty()) text += "X-Registry-Auth: " + head.registry_auth + "\r\n";
  return text + "\r\n";
}

void check_request(const RequestHead& head) {
  const auto again = parse_request_head(written(head));
  const auto* same_head = std::get_if<RequestHead>(&again);
  claim(same_head && same(*same_head, head), "a head that is written again is the same head", written(head));
  const auto upstream = write_request_head({head.method, head.target, {}, std::nullopt}, head.content, head.upgrade);
  const auto sent = parse_request_head(upstream);
  const auto* read = std::get_if<RequestHead>(&sent);
  claim(read && read->target == head.target && read->content == head.content && read->upgrade == head.upgrade,
        "the head that goes upstream has the same framing", upstream);
}

void check_answer(const AnswerHead& head, bool to_head) {
  const auto fields = rules::answer_fields(head.fields);
  const auto text = write_answer_head(head.status, fields, head.content);
  const auto again = parse_answer_head(text, to_head);
  claim(again && again->status == head.status && again->content == head.content &&
            same(rules::answer_fields(again->fields), fields),
        "an answer's head that is written again is the same", text);
  std::size_t framing = 0;
  for (const auto& field : again->fields)
    framing += rules::find({field}, "Content-Length") || rules::find({field}, "Transfer-Encoding");
  claim(framing <= 1 && again->fields.size() == fields.size() + framing, "an answer has one framing, ours", text);
}

void check_end(const Reading& reading, std::string_view input, Side side) {
  const auto strict = fuzz::read_strictly(input, side);
  if (!reading.request && !reading.answer) return;
  claim(strict.has_value() || reading.end == Reading::End::Refused, "a strict parser accepts it too", input);
  if (!strict) return;
  claim(strict->head == reading.head, "the head ends where a strict parser says", input);
  if (reading.request)
    claim(strict->first == rules::text(reading.request->method) && strict->target == reading.request->target,
          "a strict parser reads the same start line", input);
  if (reading.end != Reading::End::Complete) return;
  claim(strict->complete && strict->end == reading.size, "the message ends where a strict parser says", input);
  claim(strict->content == reading.content, "a strict parser reads the same content", input);
}

void check(std::string_view input, Side side) {
  for (std::size_t count = 0; count < most_messages && !input.empty(); ++count) {
    const auto reading = Reader(input, Pieces::whole(), side).read();
    for (const Pieces& pieces : {Pieces::bytes(), Pieces::of(input)})
      claim(same(Reader(input, pieces, side).read(), reading), "the cuts do not matter", input);
    check_end(reading, input, side);
    if (reading.request) check_request(*reading.request);
    if (reading.answer) check_answer(*reading.answer, side == Side::AnswerToHead);
    if (reading.end != Reading::End::Complete) return;
    input.remove_prefix(reading.size);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = fuzz::text_of(data, size);
  if (!input.starts_with("HTTP")) {
    check(input, Side::Request);
  } else {
    check(input, Side::Answer);
    check(input, Side::AnswerToHead);
  }
  return 0;
}
