// Upstream dies at every byte of every kind of answer, by an orderly end and by a reset. The client reads a 502 or an
// answer that is visibly cut, never a whole one that upstream did not give; nothing that changes something is sent
// twice; and the connections to upstream that are kept are good ones.

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>

#include "tests/support/messages.hpp"
#include "tests/support/running_proxy.hpp"

using namespace podfence::testing;
using podfence::rules::Kind;

namespace {

/// What the client has of an answer that is cut behind its head.
enum class Passes {
  Nothing,  ///< 502: it is read whole first, or must not be passed on
  Pieces,   ///< the head, and as much of the content as came
  Lines,    ///< the head, and the lines that were complete
  Tunnel,   ///< everything, and its end is the end
};

struct Row {
  const char* what;
  std::string request;
  std::string line;  ///< of the request to upstream whose answer is cut
  std::string answer;
  std::string content;  ///< that a client reads when nothing is cut; for Tunnel all that follows the head
  Passes passes;
  int status = 200;  ///< of the whole answer
};

enum class Death { End, HalfEnd, Reset };

std::string event(const std::string& id, const std::string& action) {
  return R"({"Type":"container","Action":")" + action + R"(","Actor":{"ID":")" + id +
         R"(","Attributes":{"appx.project":"p1"}},"time":1})" + "\n";
}

struct DyingUpstream : RunningProxy {
  std::string c1 = podman.add(Kind::Container, "c1", "p1");
  std::atomic<std::size_t> cut = 0;
  std::atomic<Death> death = Death::End;
  std::atomic<const Row*> dying = nullptr;

  /// Upstream's own answer.
  std::string direct(const std::string& request) const {
    const auto answer = RawClient(upstream()).request(request);
    return answer.head + answer.content;
  }
  /// From now on this answer, and no other, is given up to `cut` only.
  void dies(const Row& row) {
    dying = &row;
    podman.on(row.line, [this, &row](FakePodman::Connection& connection) {
      if (dying != &row) return connection.answer();
      connection.read_content();
      connection.send(row.answer.substr(0, cut));
      switch (death) {
        case Death::End:
          return connection.close();
        case Death::Reset:
          return connection.reset();
        case Death::HalfEnd:
          connection.half_close();
          connection.drain();
      }
    });
  }
};

std::vector<Row> rows(const DyingUpstream& proxy) {
  const std::string ok = "HTTP/1.1 200 OK\r\n", chunked = ok + "Transfer-Encoding: chunked\r\n\r\n";
  const std::string sized = ok + "Content-Length: 5\r\n\r\nhello";
  const auto logs = get("/v1.41/containers/c1/logs?stdout=true");
  const auto logs_line = "GET /v1.41/containers/" + proxy.c1 + "/logs";
  const auto start = "POST /v1.41/containers/c1/start HTTP/1.1\r\nHost: d\r\n\r\n";
  const auto start_line = "POST /v1.41/containers/" + proxy.c1 + "/start";
  const auto inspect = "/v4.0.0/libpod/containers/c1/json";
  const auto events = event(proxy.c1, "start") + event(proxy.c1, "die");
  const std::string attach = "POST /v1.41/containers/c1/attach?stream=1&stdout=1 HTTP/1.1\r\nHost: d\r\n";
  const auto attach_line = "POST /v1.41/containers/" + proxy.c1 + "/attach";
  const auto list = proxy.direct(get("/v1.41/containers/json"));
  return {
      {"a length", logs, logs_line, sized, "hello", Passes::Pieces},
      {"chunks", logs, logs_line, chunked + chunk("hello") + chunk(" world") + "0\r\n\r\n", "hello world",
       Passes::Pieces},
      {"chunks with a trailer", logs, logs_line, chunked + chunk("hello") + "0\r\nX: y\r\n\r\n", "hello",
       Passes::Pieces},
      {"no content", start, start_line, "HTTP/1.1 204 No Content\r\nServer: x\r\n\r\n", "", Passes::Nothing, 204},
      {"a length of 0", start, start_line, ok + "Content-Length: 0\r\n\r\n", "", Passes::Nothing},
      {"until the end", logs, logs_line, ok + "\r\nhello", "", Passes::Nothing, 502},
      {"HEAD", "HEAD /_ping HTTP/1.1\r\nHost: d\r\n\r\n", "HEAD /_ping", ok + "Content-Length: 2\r\n\r\n", "",
       Passes::Nothing},
      {"interim answers before the final one", logs, logs_line,
       "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n" + sized, "hello",
       Passes::Pieces},
      {"an error", start, start_line, http_answer(409, R"({"message":"no"})"), "", Passes::Nothing, 409},
      {"events", get("/v1.41/events"), "GET /v1.41/events",
       chunked + chunk(events.substr(0, 30)) + chunk(events.substr(30)) + "0\r\n\r\n", events, Passes::Lines},
      {"a list", get("/v1.41/containers/json"), "GET /v1.41/containers/json", list, "", Passes::Nothing},
      {"a fact", start, "GET " + std::string(inspect), proxy.direct(get(inspect)), "", Passes::Nothing, 204},
      {"a tunnel", attach + upgrade + "\r\n", attach_line,
       "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\noutput", "output", Passes::Tunnel, 101},
      {"a tunnel without an upgrade", attach + "\r\n", attach_line, ok + "\r\noutput", "output", Passes::Tunnel},
  };
}

/// Where the last head of the answer ends: before it there is nothing to pass on.
std::size_t head_size(const Row& row) {
  std::size_t size = 0;
  while (row.answer.compare(size, 5, "HTTP/") == 0) size = row.answer.find("\r\n\r\n", size) + 4;
  return size;
}

void check_tunnel(const Row& row, std::size_t cut, RawClient& client) {
  const auto answer = client.read_head();
  CHECK(answer.status == row.status);
  CHECK(client.read_to_end() == row.content.substr(0, cut - head_size(row)));
}

void check_whole(const Row& row, const WireAnswer& answer) {
  CHECK(answer.complete());
  CHECK(answer.status == row.status);
  if (row.passes == Passes::Pieces) CHECK(answer.content == row.content);
  if (row.passes == Passes::Lines) CHECK(std::ranges::count(answer.content, '\n') == 2);
}

void check_refused(const Row& row, const WireAnswer& answer) {
  CHECK(answer.complete());
  CHECK(answer.status == 502);
  if (!row.request.starts_with("HEAD ")) CHECK(answer.content.find("upstream.answer") != std::string::npos);
}

void check_aborted(const Row& row, const WireAnswer& answer, RawClient& client) {
  CHECK(answer.status == row.status);
  CHECK_FALSE(answer.complete());
  CHECK(client.ended());
  if (row.passes == Passes::Pieces) CHECK(row.content.starts_with(answer.content));
  if (row.passes == Passes::Lines) CHECK((answer.content.empty() || answer.content.ends_with("\n")));
}

/// The client's side of one exchange whose answer is cut behind `cut` bytes.
void check_client(const Row& row, std::size_t cut, RawClient& client) {
  client.send(row.request);
  if (row.passes == Passes::Tunnel && cut >= head_size(row)) return check_tunnel(row, cut, client);
  const auto answer = client.read_answer(patience, row.request.starts_with("HEAD "));
  CAPTURE(answer.head);
  CAPTURE(answer.problem);
  if (cut == row.answer.size())
    check_whole(row, answer);
  else if (cut < head_size(row) || row.passes == Passes::Nothing)
    check_refused(row, answer);
  else
    check_aborted(row, answer, client);
}

}  // namespace

TEST_CASE("upstream that dies at any byte of any kind of answer never leaves a whole one") {
  std::vector<Row> all;  // scripts refer to it
  DyingUpstream proxy;
  all = rows(proxy);
  for (const auto& row : all) {
    CAPTURE(std::string(row.what));
    proxy.dies(row);
    const bool is_fact = row.line.starts_with("GET ") && row.request.starts_with("POST ");
    for (const auto death : {Death::End, Death::HalfEnd, Death::Reset}) {
      CAPTURE(static_cast<int>(death));
      proxy.death = death;
      for (std::size_t cut = 0; cut <= row.answer.size(); ++cut) {
        CAPTURE(cut);
        proxy.cut = cut;
        proxy.podman.forget();
        const auto sent_before = proxy.podman.requests(row.line).size(), posts = proxy.podman.requests("POST").size();
        auto client = proxy.client();
        check_client(row, cut, client);
        const auto sent = proxy.podman.requests(row.line).size() - sent_before;
        CHECK(sent >= 1);
        // What only reads may be asked again, when a kept connection died without a byte.
        CHECK(sent <= (cut == 0 && !row.line.starts_with("POST") ? 2 : 1));
        if (is_fact && cut < row.answer.size()) CHECK(proxy.podman.requests("POST").size() == posts);
        CHECK(proxy.alive());
      }
    }
    CHECK(proxy.idle());
  }
}
