#include "proxy/raw_request.hpp"

#include <algorithm>
#include <string_view>

#include "rules/ascii.hpp"

namespace podfence::proxy {
namespace {

/// The lines of the head without their ends, and what stands behind the empty line.
struct RequestParts {
  std::vector<std::string> head;
  std::string content;
};

RequestParts split_request(std::string_view text) {
  RequestParts parts;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) break;
    parts.head.emplace_back(line);
  }
  parts.content = text;
  return parts;
}

bool has_field(const RequestParts& parts, std::string_view name) {
  return std::ranges::any_of(parts.head, [&](const std::string& line) {
    return line.size() > name.size() && line[name.size()] == ':' &&
           rules::ascii::equal_caseless(std::string_view(line).substr(0, name.size()), name);
  });
}

/// `curl -v` writes "> " before each line that it sends, and other marks before everything else.
bool take_curl_lines(std::string& text) {
  if (!text.starts_with("> ") && !text.starts_with("* ")) return false;
  std::string sent;
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto end = std::min(rest.find('\n'), rest.size());
    auto line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line == ">") line = "> ";
    if (line.starts_with("> ")) sent.append(line.substr(2)) += '\n';
  }
  text = std::move(sent);
  return true;
}

void complete(RequestParts& parts, RawRequest& request) {
  const auto add = [&](const std::string& field) {
    parts.head.push_back(field);
    request.notes.push_back("added, since it was missing: " + field);
  };
  if (!has_field(parts, "Host")) add("Host: podfence");
  if (has_field(parts, "Content-Length") || has_field(parts, "Transfer-Encoding")) return;
  parts.content.erase(parts.content.find_last_not_of("\n") + 1);  // an editor's
  if (!parts.content.empty()) add("Content-Length: " + std::to_string(parts.content.size()));
}

}  // namespace

RawRequest raw_request(std::string text) {
  RawRequest request;
  const bool from_curl = take_curl_lines(text);
  const auto line_end = text.find('\n');
  const bool is_exact = !from_curl && line_end != std::string::npos && line_end > 0 && text[line_end - 1] == '\r';
  if (is_exact || text.empty()) {
    request.bytes = std::move(text);
    return request;
  }
  request.notes.emplace_back(from_curl ? "the lines that curl -v marks with '>' were taken, with CR LF behind each"
                                       : "plain line ends of the head were read as CR LF");
  RequestParts parts = split_request(text);
  complete(parts, request);
  for (const auto& line : parts.head) request.bytes.append(line).append("\r\n");
  request.bytes.append("\r\n").append(parts.content);
  return request;
}

}  // namespace podfence::proxy
