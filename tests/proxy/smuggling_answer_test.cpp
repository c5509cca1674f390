// Where does an answer of upstream end? A client must never read bytes that belong to another answer, and an answer
// that cannot be understood is not passed on (RFC 9112 section 6.3, RFC 9110 section 15.6.3).

#include <doctest/doctest.h>

#include "tests/support/running_proxy.hpp"
#include "tests/support/smuggling.hpp"

using namespace podfence::testing;
using namespace std::string_literals;
using podfence::rules::Kind;

namespace {

/// A proxy whose upstream answers the logs of c1 and its start with a script.
struct Scripted : RunningProxy {
  std::string c1 = podman.add(Kind::Container, "c1", "p1");

  void logs(FakePodman::Script script) { podman.on("GET /v1.41/containers/" + c1 + "/logs", std::move(script)); }
  void start(FakePodman::Script script) { podman.on("POST /v1.41/containers/" + c1 + "/start", std::move(script)); }
};

const std::string logs_request = get_request("/v1.41/containers/c1/logs?stdout=true");
const std::string start_request = "POST /v1.41/containers/c1/start HTTP/1.1\r\nHost: d\r\n\r\n";
const std::string evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil";

/// Whatever the client asks next must be answered by upstream's true answer.
void check_unpoisoned(RunningProxy& proxy, RawClient& client) {
  const auto next = client.request(get_request("/_ping"));
  if (next.status != 0) CHECK(next.content == "OK");
  for (int i = 0; i < 3; ++i) CHECK(proxy.alive());
}

std::vector<std::pair<std::string, std::string>> refused_answers() {
  return {
      {"R01 no status line", "hello\r\n\r\n"},
      {"R02 no space behind the status", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n"},
      {"R04 coding and length", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n"},
      {"R05 two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nevil!"},
      {"R06 signed length", "HTTP/1.1 200 OK\r\nContent-Length: +4\r\n\r\nevil"},
      {"R07 gzip and length", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nContent-Length: 4\r\n\r\nevil"},
      {"R07 chunked twice", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"},
      {"R09 status 999", "HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n"},
      {"R09 status 600", "HTTP/1.1 600 Odd\r\nContent-Length: 0\r\n\r\n"},
      {"R10 status 99", "HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n"},
      {"R11 bare CR in a field", "HTTP/1.1 200 OK\r\nX-A: b\rc\r\nContent-Length: 0\r\n\r\n"},
      {"R12 NUL in a field", "HTTP/1.1 200 OK\r\nX-A: b\0\r\nContent-Length: 0\r\n\r\n"s},
      {"R13 head without end", "HTTP/1.1 200 OK\r\nX-A: " + std::string(200'000, 'x') + "\r\n\r\n"},
      {"R15 upgrade that nobody asked for", "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\nevil"},
  };
}

/// What becomes of the client's connection. ClosesBoth: upstream has ended the answer where it stands.
enum class Then { GoesOn, ClosesClient, ClosesBoth };

struct AnswerRow {
  std::string id;
  std::string bytes;   ///< what upstream says to a request for logs
  std::string passed;  ///< what the client reads, but for the fields that every answer has
  Then then = Then::GoesOn;
  bool only_begins = false;  ///< `passed` is the beginning
};

/// The content of the chunks in the place of the chunks: pieces may come together or apart, and the last may be cut.
/// Without the last chunk the content has no end.
std::string joined(const std::string& read) {
  auto place = read.find("\r\n\r\n");
  if (read.find("Transfer-Encoding: chunked") > place) return read;
  auto text = read.substr(0, place + 4);
  for (place += 4; place < read.size();) {
    const auto line = read.find("\r\n", place);
    REQUIRE(line != std::string::npos);
    const auto size = std::stoul(read.substr(place, line - place), nullptr, 16);
    text += read.substr(line + 2, size);
    if (line + 2 + size >= read.size()) return text;
    REQUIRE(read.substr(line + 2 + size, 2) == std::string_view("\r\n").substr(0, read.size() - line - 2 - size));
    if (size == 0) return text + "<end>";
    place = line + 4 + size;
  }
  return text;
}

std::string without_usual_fields(std::string read) {
  for (const auto* name : {"\r\nX-Podfence-Request-Id: ", "\r\nConnection: "})
    if (const auto place = read.find(name); place < read.find("\r\n\r\n"))
      read.erase(place, read.find("\r\n", place + 2) - place);
  return read;
}

/// One exchange in which upstream speaks in these pieces, and what comes behind it.
void play_answer(SteppedProxy& proxy, const AnswerRow& row, std::vector<std::string> pieces) {
  proxy.on_request([&](const std::string& request) -> std::optional<SteppedProxy::Answer> {
    if (request.find("/logs?") == std::string::npos) return std::nullopt;
    return SteppedProxy::Answer{pieces, row.then == Then::ClosesBoth};
  });
  auto client = proxy.client();
  client.send(logs_request);
  const auto read = joined(without_usual_fields(client.read()));
  CAPTURE(read);
  const bool has_end = row.then == Then::GoesOn && row.passed.find("chunked") != std::string::npos;
  if (row.only_begins)
    CHECK(read.starts_with(row.passed));
  else
    CHECK(read == row.passed + (has_end ? "<end>" : ""));
  CHECK(read.find("evil") == std::string::npos);
  CHECK(client.ended() == (row.then != Then::GoesOn));
  auto other = proxy.client();
  for (auto* next : {&client, &other}) {
    if (next->ended()) continue;
    next->send(get_request("/_ping"));
    CHECK(next->read().ends_with("\r\n\r\nOK"));
  }
}

void play_answers(const std::vector<AnswerRow>& rows) {
  SteppedProxy proxy;
  proxy.objects.add(Kind::Container, "c1", "p1");
  for (const auto& row : rows) {
    CAPTURE(row.id);
    play_answer(proxy, row, {row.bytes});
    play_answer(proxy, row, bytewise(row.bytes));
    for (std::size_t position = 1; position < row.bytes.size(); ++position) {
      if (!cuts_at(row.bytes, position)) continue;
      CAPTURE(position);
      play_answer(proxy, row, {row.bytes.substr(0, position), row.bytes.substr(position)});
    }
  }
}

}  // namespace

TEST_CASE("an answer whose framing is ambiguous or whose head is broken becomes a 502") {
  for (const auto& [id, bytes] : refused_answers()) {
    CAPTURE(id);
    Scripted proxy;
    proxy.logs(FakePodman::says(bytes));
    auto client = proxy.client();
    const auto answer = client.request(logs_request);
    CAPTURE(answer.head);
    CHECK(answer.complete());
    CHECK(answer.status == 502);
    CHECK(answer.content.find("\"response\":502") != std::string::npos);
    CHECK(answer.content.find("evil") == std::string::npos);
    check_unpoisoned(proxy, client);
  }
}

TEST_CASE("an answer comes to the same however it is cut") {
  const std::string chunked = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string sized = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\n";
  const auto passed = [](const std::string& framing, const std::string& content) {
    return "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n" + framing + "\r\n\r\n" + content;
  };
  const std::string as_chunks = "Transfer-Encoding: chunked";
  play_answers({
      {"sized", sized + "logs", passed("Content-Length: 4", "logs")},
      {"chunked", chunked + "4\r\nlogs\r\n0\r\n\r\n", passed(as_chunks, "logs")},
      {"extension", chunked + "4;a=\"b\"\r\nlogs\r\n0;c\r\n\r\n", passed(as_chunks, "logs")},
      {"trailer", chunked + "4\r\nlogs\r\n0\r\nX-T: 1\r\nSet-Cookie: a\r\n\r\n", passed(as_chunks, "logs")},
      {"interim", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" + sized + "logs",
       passed("Content-Length: 4", "logs")},
      {"longer than its length", sized + "logs and more" + evil, passed("Content-Length: 4", "logs")},
      {"a second answer", sized + "logs" + evil, passed("Content-Length: 4", "logs")},
      {"a second answer behind chunks", chunked + "4\r\nlogs\r\n0\r\n\r\n" + evil, passed(as_chunks, "logs")},
      {"R03 204 with a length", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n" + evil,
       "HTTP/1.1 204 No Content\r\n\r\n"},
      {"R03 204", "HTTP/1.1 204 No Content\r\n\r\n" + evil, "HTTP/1.1 204 No Content\r\n\r\n"},
      {"R03 304", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n" + evil, "HTTP/1.1 304 Not Modified\r\n\r\n"},
      {"R14 205", "HTTP/1.1 205 Reset Content\r\nContent-Length: 4\r\n\r\nlogs",
       "HTTP/1.1 205 Reset Content\r\nContent-Length: 4\r\n\r\nlogs"},
      {"R16 end within a sized content", sized + "lo", passed("Content-Length: 4", "lo"), Then::ClosesBoth},
      {"R17 end within a chunk", chunked + "4\r\nlo", passed(as_chunks, "lo"), Then::ClosesBoth},
      {"R17 end between chunks", chunked + "4\r\nlogs\r\n", passed(as_chunks, "logs"), Then::ClosesBoth},
      {"R17 end within the last chunk", chunked + "4\r\nlogs\r\n0\r\n", passed(as_chunks, "logs"), Then::ClosesBoth},
      {"R18 broken size", chunked + "4\r\nlogs\r\n0x4\r\nevil\r\n0\r\n\r\n", passed(as_chunks, "logs"),
       Then::ClosesClient},
      {"R18 no line end behind the data", chunked + "4\r\nlogs0\r\n\r\n", passed(as_chunks, "logs"),
       Then::ClosesClient},
      {"R18 bare LF", chunked + "4\nlogs\r\n0\r\n\r\n", passed(as_chunks, ""), Then::ClosesClient},
      {"R18 trailers without an end", chunked + "4\r\nlogs\r\n0\r\nX-T: " + std::string(5000, 't') + "\r\n\r\n",
       passed(as_chunks, "logs"), Then::ClosesClient},
  });
}

TEST_CASE("an answer that is refused is refused however it is cut") {
  std::vector<AnswerRow> rows;
  for (const auto& [id, bytes] : refused_answers()) rows.push_back({id, bytes, "HTTP/1.1 502 ", Then::GoesOn, true});
  play_answers(rows);
}

TEST_CASE("R03: bytes behind an answer that has no content are no answer to anybody") {
  for (const auto* head : {"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n",
                           "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"}) {
    CAPTURE(head);
    Scripted proxy;
    proxy.start(FakePodman::says(head + evil));
    auto client = proxy.client();
    const auto answer = client.request(start_request);
    CHECK(answer.complete());
    CHECK(answer.status == std::stoi(std::string(head).substr(9, 3)));
    CHECK(answer.field("Content-Length") != "5");
    check_unpoisoned(proxy, client);
  }
}

TEST_CASE("a second answer that nobody asked for is given to nobody") {
  for (const auto pause : {0, 30}) {
    CAPTURE(pause);
    Scripted proxy;
    proxy.logs([pause](FakePodman::Connection& connection) {
      connection.send(http_answer(200, "logs", "text/plain"));
      connection.pause(Milliseconds(pause));
      connection.send(evil);
    });
    auto client = proxy.client();
    CHECK(client.request(logs_request).content == "logs");
    std::this_thread::sleep_for(Milliseconds(pause + 20));
    check_unpoisoned(proxy, client);
  }
}

TEST_CASE("a content longer than its length is cut there") {
  Scripted proxy;
  proxy.logs(FakePodman::says("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlogs and more" + evil));
  auto client = proxy.client();
  CHECK(client.request(logs_request).content == "logs");
  check_unpoisoned(proxy, client);
}

TEST_CASE("R14: a 205 with content is read to its end") {
  Scripted proxy;
  proxy.logs(FakePodman::says("HTTP/1.1 205 Reset Content\r\nContent-Length: 4\r\n\r\nlogs"));
  auto client = proxy.client();
  const auto answer = client.request(logs_request);
  CHECK((answer.status == 205 || answer.status == 502));
  check_unpoisoned(proxy, client);
}

TEST_CASE("interim answers are swallowed") {
  const std::string interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n";
  Scripted proxy;
  SUBCASE("two") { proxy.logs(FakePodman::says(interim + http_answer(200, "logs", "text/plain"))); }
  SUBCASE("in pieces") {
    proxy.logs([interim](FakePodman::Connection& connection) {
      for (const char c : interim + http_answer(200, "logs", "text/plain")) connection.send(std::string(1, c));
    });
  }
  const auto answer = proxy.ask(logs_request);
  CHECK(answer.status == 200);
  CHECK(answer.content == "logs");
  CHECK(answer.field("Link") == "");
}

TEST_CASE("a storm of interim answers neither hangs nor reaches the client") {
  Scripted proxy;
  std::string storm;
  for (int i = 0; i < 5000; ++i) storm += "HTTP/1.1 102 Processing\r\n\r\n";
  proxy.logs(FakePodman::says(storm + http_answer(200, "logs", "text/plain")));
  const auto answer = proxy.ask(logs_request);
  CHECK((answer.status == 200 || answer.status == 502));
  CHECK(proxy.alive());
}

TEST_CASE("fields of an answer cross by allow-list only, and never those that Connection names") {
  Scripted proxy;
  proxy.logs(FakePodman::says(
      "HTTP/1.1 200 OK\r\nApi-Version: 1.41\r\nContent-Type: text/plain\r\nSet-Cookie: a=b\r\nLocation: /etc\r\n"
      "X-Evil: 1\r\nKeep-Alive: timeout=5\r\nConnection: keep-alive, x-evil\r\nTrailer: X-T\r\n"
      "Transfer-Encoding: chunked\r\n\r\n4\r\nlogs\r\n0\r\nX-T: 1\r\nSet-Cookie: c=d\r\n\r\n"));
  auto client = proxy.client();
  const auto answer = client.request(logs_request);
  CHECK(answer.complete());
  CHECK(answer.content == "logs");
  CHECK(answer.field("Api-Version") == "1.41");
  CHECK(answer.field("Content-Type") == "text/plain");
  for (const auto* name : {"Set-Cookie", "Location", "X-Evil", "Keep-Alive", "Trailer", "X-T"}) {
    CAPTURE(name);
    CHECK(answer.field(name) == "");
  }
  check_unpoisoned(proxy, client);
}
