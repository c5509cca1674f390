#include "proxy/head_text.hpp"

#include <stdexcept>
#include <string_view>

#include "proxy/framing.hpp"

namespace podfence::proxy {

namespace {

constexpr std::size_t usual_size = 384;

bool holds_line_end(std::string_view text) {
  return text.find('\r') != text.npos || text.find('\n') != text.npos || text.find('\0') != text.npos;
}

void append_field(std::string& head, std::string_view name, std::string_view value) {
  const auto begin = head.size();
  head.append(name).append(": ").append(value);
  // What comes here was parsed or made by us; a line end in it would be somebody else's field.
  if (holds_line_end(std::string_view(head).substr(begin))) throw std::logic_error("a header field holds a line end");
  head.append("\r\n");
}

void append_framing(std::string& head, const Framing& content) {
  if (content.kind == Framing::Kind::Chunked) append_field(head, "Transfer-Encoding", "chunked");
  if (content.kind == Framing::Kind::Sized) append_field(head, "Content-Length", std::to_string(content.size));
}

}  // namespace

std::string write_request_head(const rules::UpstreamRequest& request, const Framing& content, bool upgrade) {
  if (holds_line_end(request.target) || request.target.find(' ') != std::string::npos)
    throw std::logic_error("a request target holds white space");
  std::string head;
  head.reserve(usual_size);
  head.append(rules::text(request.method)).append(" ").append(request.target).append(" HTTP/1.1\r\n");
  append_field(head, "Host", "d");
  for (const auto& field : request.fields) append_field(head, field.name, field.value);
  append_framing(head, content);
  if (upgrade) head.append("Connection: Upgrade\r\nUpgrade: tcp\r\n");
  return head.append("\r\n");
}

std::string write_answer_head(int status, const rules::Fields& fields, const Framing& content) {
  std::string head;
  head.reserve(usual_size);
  head.append("HTTP/1.1 ").append(std::to_string(status)).append(" ").append(reason_phrase(status)).append("\r\n");
  for (const auto& field : fields) append_field(head, field.name, field.value);
  append_framing(head, content);
  return head.append("\r\n");
}

}  // namespace podfence::proxy
