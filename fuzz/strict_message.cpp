#include "fuzz/strict_message.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace podfence::fuzz {

namespace {

constexpr std::string_view line_end = "\r\n";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_digit(c) || is_letter(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}
bool is_field_text(std::string_view text) {
  return std::ranges::all_of(text,
                             [](char c) { return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f); });
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  return result;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

struct Framing {
  std::vector<std::string> lengths, codings;
};

bool read_request_line(std::string_view line, StrictMessage& message) {
  const auto first = line.find(' '), last = line.rfind(' ');
  if (first == last || line.substr(last + 1) != "HTTP/1.1") return false;
  message.first = line.substr(0, first);
  message.target = line.substr(first + 1, last - first - 1);
  return is_token(message.first) && !message.target.empty() &&
         std::ranges::all_of(message.target, [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7f; });
}

bool read_status_line(std::string_view line, StrictMessage& message) {
  constexpr std::string_view version = "HTTP/1.1 ";
  if (!line.starts_with(version) || line.size() < version.size() + 4) return false;
  message.first = line.substr(version.size(), 3);
  return std::ranges::all_of(message.first, is_digit) && line[version.size() + 3] == ' ' && is_field_text(line);
}

bool read_field(std::string_view line, Framing& framing) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return false;
  const auto value = trimmed(line.substr(colon + 1));
  if (!is_field_text(value)) return false;
  const auto name = lower(line.substr(0, colon));
  if (name == "content-length") framing.lengths.emplace_back(value);
  if (name == "transfer-encoding") framing.codings.push_back(lower(value));
  return true;
}

bool read_head(std::string_view head, Side side, StrictMessage& message, Framing& framing) {
  const auto first = head.find(line_end);
  const auto line = head.substr(0, first);
  if (!(side == Side::Request ? read_request_line(line, message) : read_status_line(line, message))) return false;
  for (auto rest = head.substr(first + 2); rest != line_end;) {
    const auto end = rest.find(line_end);
    if (!read_field(rest.substr(0, end), framing)) return false;
    rest.remove_prefix(end + 2);
  }
  return true;
}

/// The next line of a chunked content, without its end; nullopt when it is not all there.
std::optional<std::string_view> take_line(std::string_view& rest) {
  const auto end = rest.find(line_end);
  if (end == std::string_view::npos) return std::nullopt;
  const auto line = rest.substr(0, end);
  rest.remove_prefix(end + 2);
  return line;
}

/// False: malformed, or a trailer where none is allowed.
bool read_chunks(std::string_view text, Side side, StrictMessage& message) {
  auto rest = text;
  while (true) {
    const auto line = take_line(rest);
    if (!line) return true;
    const auto digits = line->substr(0, line->find(';'));
    if (digits.empty() || digits.size() > 16 || digits.find_first_not_of("0123456789abcdefABCDEF") != digits.npos)
      return false;
    const std::uint64_t size = std::stoull(std::string(digits), nullptr, 16);
    if (size == 0) break;
    message.content += rest.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(size, rest.size())));
    if (rest.size() < size) return true;
    rest.remove_prefix(static_cast<std::size_t>(size));
    if (!std::string_view(line_end).starts_with(rest.substr(0, 2))) return false;
    if (rest.size() < 2) return true;
    rest.remove_prefix(2);
  }
  while (true) {
    const auto trailer = take_line(rest);
    if (!trailer) return true;
    if (trailer->empty()) break;
    if (side == Side::Request) return false;
  }
  message.end = message.head + (text.size() - rest.size());
  message.complete = true;
  return true;
}

bool read_sized(std::string_view text, std::string_view length, StrictMessage& message) {
  if (length.empty() || length.size() > 19 || !std::ranges::all_of(length, is_digit)) return false;
  if (length.size() > 1 && length.front() == '0') return false;
  const std::uint64_t size = std::stoull(std::string(length));
  message.content = text.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(size, text.size())));
  message.end = message.head + message.content.size();
  message.complete = message.content.size() == size;
  return true;
}

bool has_no_content(const StrictMessage& message, Side side) {
  return side == Side::AnswerToHead ||
         (side == Side::Answer && (message.first[0] == '1' || message.first == "204" || message.first == "304"));
}

}  // namespace

std::optional<StrictMessage> read_strictly(std::string_view text, Side side) {
  const auto empty_line = text.find("\r\n\r\n");
  if (empty_line == std::string_view::npos) return std::nullopt;
  StrictMessage message;
  message.head = message.end = empty_line + 4;
  Framing framing;
  if (!read_head(text.substr(0, message.head), side, message, framing)) return std::nullopt;
  const auto& [lengths, codings] = framing;
  if (lengths.size() + codings.size() > 1) return std::nullopt;
  if (!codings.empty() && codings[0] != "chunked") return std::nullopt;
  const auto rest = text.substr(message.head);
  bool valid = true;
  if (!lengths.empty()) valid = read_sized(rest, lengths[0], message);
  if (valid && has_no_content(message, side)) {
    message.content.clear();
    message.end = message.head;
    message.complete = true;
  } else if (!codings.empty()) {
    valid = read_chunks(rest, side, message);
  } else if (lengths.empty()) {
    message.complete = side == Side::Request;
    if (side == Side::Answer) message.content = rest;
    if (side == Side::Answer) message.end = text.size();
  }
  return valid ? std::optional(std::move(message)) : std::nullopt;
}

}  // namespace podfence::fuzz
