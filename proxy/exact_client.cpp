#include "proxy/exact_client.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "proxy/concurrently.hpp"
#include "proxy/message_io.hpp"

namespace podfence::proxy {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr std::size_t most_content = 64 * 1024 * 1024;
constexpr auto moment = 300ms;

Task<void> pass(std::chrono::milliseconds time) {
  asio::steady_timer timer(co_await asio::this_coro::executor, time);
  boost::system::error_code ignored;
  co_await timer.async_wait(asio::redirect_error(as_task, ignored));
}

Task<void> send(Connection& connection, std::string_view bytes) {
  const bool sent = co_await connection.send(bytes);
  if (!sent) co_await connection.until_readable();
}

/// Who refuses may stop reading before all is sent.
Task<void> deliver(Connection& connection, std::string_view bytes) {
  constexpr std::size_t never_blocks = 64 * 1024;
  if (bytes.size() <= never_blocks)
    co_await send(connection, bytes);
  else
    co_await first_of(send(connection, bytes), connection.until_readable());
}

Task<void> read_all(ContentReader& content, std::string& text) {
  while (text.size() < most_content) {
    const auto piece = co_await content.next();
    if (piece.empty()) co_return;
    text.append(piece);
  }
}

Task<void> drop_all(Connection& connection) {
  while (true) {
    connection.consume(connection.received().size());
    const bool more = co_await connection.receive();
    if (!more) co_return;
  }
}

Task<void> converse(Connection& connection, const ExactRequest& request, WholeAnswer& answer) {
  co_await deliver(connection, request.bytes);
  const auto head = co_await read_answer_head(connection, false, request.may_upgrade);
  const auto* read = std::get_if<AnswerHead>(&head);
  if (!read) co_return;
  answer.status = read->status;
  if (read->status == 101) co_return;
  ContentReader content(connection, read->content, ChunkDecoder::Trailers::Drop, ChunkDecoder::Limits());
  if (request.may_upgrade)  // it may be a tunnel without saying so
    co_await first_of(read_all(content, answer.content), pass(2s));
  else
    co_await read_all(content, answer.content);
  if (request.to_its_end) co_await first_of(drop_all(connection), pass(moment));
}

}  // namespace

Task<WholeAnswer> ask_exactly(const ExactRequest& request) {
  WholeAnswer answer;
  Upstream socket(co_await asio::this_coro::executor, connect_to_socket(request.socket));
  auto connection = co_await socket.connect();
  if (!connection) co_return answer;
  co_await first_of(converse(*connection, request, answer), pass(request.time));
  co_return answer;
}

}  // namespace podfence::proxy
