#include "proxy/client_answer.hpp"

#include <algorithm>

#include "proxy/head_text.hpp"
#include "rules/ascii.hpp"

namespace podfence::proxy {

namespace {

bool is_tunnel(int status, const Framing& content) {
  return status == 101 || content.kind == Framing::Kind::UntilClose;
}

}  // namespace

void ClientAnswer::note_time() {
  const auto microseconds = [](auto time) {
    return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  };
  const auto own = std::chrono::steady_clock::now() - start_ - waits_.client - waits_.upstream;
  record_.own_us = std::max<std::int64_t>(0, microseconds(own));
  record_.upstream_us = microseconds(waits_.upstream);
}

std::string ClientAnswer::head(int status, rules::Fields fields, const Framing& content) {
  note_time();
  record_.status = status;
  framing_ = content;
  fields.push_back({"X-Podfence-Request-Id", record_.request_id});
  if (status == 101) {
    fields.push_back({"Connection", "Upgrade"});
    fields.push_back({"Upgrade", "tcp"});
  } else if (closes_ || (stopping_ && *stopping_)) {
    fields.push_back({"Connection", "close"});
  }
  return write_answer_head(status, fields, content);
}

Task<bool> ClientAnswer::send(const rules::Reply& reply, const rules::Fields& others) {
  rules::Fields fields;
  for (const auto& field : others)
    if (!rules::ascii::equal_caseless(field.name, "Content-Type")) fields.push_back(field);
  const bool empty = reply.status == 204 || reply.status == 304;
  if (!empty) fields.push_back({"Content-Type", reply.content_type});
  const auto text = head(reply.status, std::move(fields), empty ? Framing{} : Framing::sized(reply.content.size()));
  const std::string_view content = empty || to_head_ ? std::string_view() : reply.content;
  finished_ = co_await send_whole(text, content);
  co_return finished_;
}

/// It is all in memory: a client that takes nothing of it may not hold it for ever.
Task<bool> ClientAnswer::send_whole(std::string_view head, std::string_view content) {
  do {
    const auto piece = content.substr(0, Connection::stream_buffer_size);
    const Connection::Pieces parts{boost::asio::buffer(head), boost::asio::buffer(piece)};
    const Deadline::Scope limited(deadline_, limits_.send_idle_time, Deadline::Kind::Sending);
    const bool sent = co_await connection_.send(parts);
    if (!was_taken(sent)) co_return false;
    record_.bytes_out += piece.size();
    content.remove_prefix(piece.size());
    head = {};
  } while (!content.empty());
  co_return true;
}

Task<bool> ClientAnswer::begin(int status, rules::Fields fields, const Framing& content, ContentPiece first) {
  closes_ |= is_tunnel(status, content);
  const auto text = head(status, std::move(fields), content);
  record_.bytes_out += first.content;
  const Deadline::Scope limited(deadline_, limits_.stream_send_idle_time, Deadline::Kind::Sending);
  const bool sent = co_await ContentWriter(connection_, framing_).write(first, text);
  co_return was_taken(sent);
}

Task<bool> ClientAnswer::write(ContentPiece piece) {
  if (to_head_) co_return true;
  record_.bytes_out += piece.content;
  const Deadline::Scope limited(deadline_, limits_.stream_send_idle_time, Deadline::Kind::Sending);
  const bool sent = co_await ContentWriter(connection_, framing_).write(piece);
  co_return was_taken(sent);
}

Task<bool> ClientAnswer::write_each(const std::vector<std::string>& pieces) {
  if (to_head_) co_return true;
  for (const auto& piece : pieces) record_.bytes_out += piece.size();
  const Deadline::Scope limited(deadline_, limits_.stream_send_idle_time, Deadline::Kind::Sending);
  const bool sent = co_await ContentWriter(connection_, framing_).write_each(pieces);
  co_return was_taken(sent);
}

Task<bool> ClientAnswer::finish() {
  finished_ = to_head_;
  if (!finished_) {
    const Deadline::Scope limited(deadline_, limits_.stream_send_idle_time, Deadline::Kind::Sending);
    const bool sent = co_await ContentWriter(connection_, framing_).finish();
    finished_ = was_taken(sent);
  }
  co_return finished_;
}

void ClientAnswer::abort(std::string_view why) {
  if (record_.aborted.empty()) record_.aborted = why;
}

bool ClientAnswer::was_taken(bool sent) {
  if (!sent) abort(deadline_.passed() ? "client-slow" : "client-gone");
  return sent;
}

}  // namespace podfence::proxy
