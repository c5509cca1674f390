#include "tests/support/raw_client.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace podfence::testing {
namespace {

using Clock = std::chrono::steady_clock;

/// A proxy that is busy answering an earlier piece takes no more; then the pieces may as well run together.
constexpr Milliseconds piece_time{20};

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

template <typename Number>
std::optional<Number> number_of(std::string_view text, int base) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::vector<std::string_view> lines_of(std::string_view head) {
  std::vector<std::string_view> lines;
  while (!head.empty()) {
    const auto end = head.find("\r\n");
    lines.push_back(head.substr(0, end));
    head.remove_prefix(std::min(head.size(), end + 2));
  }
  return lines;
}

/// Every line "Name: value", one SP, no fold, no stray CR or LF: the proxy has no excuse for anything else.
std::string check_fields(std::string_view head) {
  const auto lines = lines_of(head.substr(0, head.size() - 2));
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto colon = lines[i].find(": ");
    if (colon == 0 || colon == std::string_view::npos) return "bad field line: " + std::string(lines[i]);
    if (lines[i].find_first_of("\r\n") != std::string_view::npos) return "stray line end in a field";
  }
  return "";
}

}  // namespace

std::string WireAnswer::field(std::string_view name) const {
  std::string found;
  bool seen = false;
  for (const auto line : lines_of(head)) {
    const auto colon = line.find(": ");
    if (colon == std::string_view::npos || !same_name(line.substr(0, colon), name)) continue;
    if (seen) return "<twice>";
    found = line.substr(colon + 2);
    seen = true;
  }
  return found;
}

void RawClient::send_bytewise(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (!socket_.send(bytes.substr(i, 1))) return;
    socket_.wait_taken(piece_time);
  }
}

void RawClient::send_split(std::string_view bytes, std::size_t position) {
  socket_.send(bytes.substr(0, position));
  socket_.wait_taken(piece_time);
  socket_.send(bytes.substr(position));
}

bool RawClient::fill(Clock::time_point end) {
  if (at_end_) return false;
  const auto left = std::chrono::duration_cast<Milliseconds>(end - Clock::now());
  const auto piece = socket_.receive(std::max(left, Milliseconds(0)));
  if (!piece) return false;
  at_end_ = piece->empty();
  buffer_ += *piece;
  return !at_end_;
}

WireAnswer RawClient::read_head(Milliseconds timeout) {
  const auto end = Clock::now() + timeout;
  WireAnswer answer;
  auto size = std::string::npos;
  while ((size = buffer_.find("\r\n\r\n")) == std::string::npos)
    if (!fill(end)) {
      answer.problem = at_end_ ? "the connection ended in the head" : "no head in time";
      answer.head = buffer_;
      return answer;
    }
  answer.head = buffer_.substr(0, size + 4);
  buffer_.erase(0, size + 4);
  const auto status = std::string_view(answer.head).substr(0, 13);
  const auto code = status.size() == 13 ? number_of<int>(status.substr(9, 3), 10) : std::nullopt;
  if (!status.starts_with("HTTP/1.1 ") || status[12] != ' ' || !code) {
    answer.problem = "bad status line";
    return answer;
  }
  answer.status = *code;
  answer.problem = check_fields(answer.head);
  return answer;
}

WireAnswer RawClient::read_answer(Milliseconds timeout, bool of_head) {
  const auto end = Clock::now() + timeout;
  auto answer = read_head(timeout);
  if (!answer.complete()) return answer;
  const auto length = answer.field("Content-Length");
  const auto coding = answer.field("Transfer-Encoding");
  answer.chunked = coding == "chunked";
  if ((!coding.empty() && !answer.chunked) || (!coding.empty() && !length.empty())) {
    answer.problem = "ambiguous framing";
    return answer;
  }
  if (of_head || answer.status / 100 == 1 || answer.status == 204 || answer.status == 304) return answer;
  if (answer.chunked)
    read_chunked(answer, end);
  else if (const auto size = number_of<std::size_t>(length, 10))
    read_sized(answer, *size, end);
  else if (length.empty())
    answer.until_end = true;
  else
    answer.problem = "bad Content-Length";
  return answer;
}

void RawClient::read_sized(WireAnswer& answer, std::size_t size, Clock::time_point end) {
  while (buffer_.size() < size && fill(end)) continue;
  answer.content = buffer_.substr(0, size);
  buffer_.erase(0, size);
  if (answer.content.size() < size) answer.problem = "the content was cut";
}

bool RawClient::read_line(std::string& line, Clock::time_point end) {
  auto size = std::string::npos;
  while ((size = buffer_.find("\r\n")) == std::string::npos)
    if (!fill(end)) return false;
  line = buffer_.substr(0, size);
  buffer_.erase(0, size + 2);
  return true;
}

void RawClient::read_chunked(WireAnswer& answer, Clock::time_point end) {
  answer.problem = "the chunks were cut";
  for (std::string line; read_line(line, end);) {
    const auto size = number_of<std::size_t>(line, 16);
    if (!size) {
      answer.problem = "bad chunk size: " + line;
      return;
    }
    while (buffer_.size() < *size + 2 && fill(end)) continue;
    if (buffer_.size() < *size + 2) {
      answer.content += buffer_.substr(0, *size);
      buffer_.clear();
      return;
    }
    if (buffer_.substr(*size, 2) != "\r\n") {
      answer.problem = "no line end behind a chunk";
      return;
    }
    if (*size == 0) answer.problem.clear();
    if (*size != 0) answer.chunks.push_back(buffer_.substr(0, *size));
    answer.content += buffer_.substr(0, *size);
    buffer_.erase(0, *size + 2);
    if (*size == 0) return;
  }
}

std::string RawClient::read_until(std::string_view text, Milliseconds timeout) {
  const auto end = Clock::now() + timeout;
  while (buffer_.find(text) == std::string::npos && fill(end)) continue;
  const auto found = buffer_.find(text);
  auto bytes = buffer_.substr(0, found == std::string::npos ? found : found + text.size());
  buffer_.erase(0, bytes.size());
  return bytes;
}

std::string RawClient::read_to_end(Milliseconds timeout) {
  const auto end = Clock::now() + timeout;
  while (fill(end)) continue;
  if (!at_end_) buffer_ += " <the connection is still open>";
  return std::exchange(buffer_, {});
}

bool RawClient::ended(Milliseconds timeout) {
  fill(Clock::now() + timeout);
  return at_end_ && buffer_.empty();
}

bool RawClient::silent(Milliseconds timeout) {
  fill(Clock::now() + timeout);
  return !at_end_ && buffer_.empty();
}

}  // namespace podfence::testing
