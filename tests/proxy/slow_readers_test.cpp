// Clients that do not read: what is kept for them has a bound, their time has one as well, and the audit log says why
// an answer was not given whole.

#include <doctest/doctest.h>

#include <atomic>

#include "tests/support/eventually.hpp"
#include "tests/support/messages.hpp"
#include "tests/support/running_proxy.hpp"

using namespace podfence::testing;
using podfence::rules::Kind;

namespace {

/// More than the kernel keeps in all buffers on the way, and than podfence may keep.
constexpr std::size_t flood = 32 * 1024 * 1024;
constexpr std::size_t bound = 4 * 1024 * 1024;

podfence::proxy::Limits limits() {
  auto limits = short_limits();
  limits.send_idle_time = limits.stream_send_idle_time = Milliseconds(900);
  return limits;
}

struct Proxy : RunningProxy {
  Proxy() : RunningProxy(limits()) {}
  std::string c1 = podman.add(Kind::Container, "c1", "p1");
  const std::string attach =
      "POST /v1.41/containers/c1/attach?stream=1&stdin=1 HTTP/1.1\r\nHost: d\r\n" + upgrade + "\r\n";

  std::string line(const std::string& method, const std::string& verb) const {
    return method + " /v1.41/containers/" + c1 + "/" + verb;
  }
  std::string event() const {
    return R"({"Type":"container","Action":"start","Actor":{"ID":")" + c1 +
           R"(","Attributes":{"appx.project":"p1"}},"time":1})" + "\n";
  }
};

}  // namespace

TEST_CASE("a client that reads nothing of a stream holds back upstream, is cut, and the audit log says so") {
  Proxy proxy;
  std::string lines;
  while (lines.size() < 4096) lines += proxy.event();
  const struct {
    const char* what;
    std::string request, line, head, piece;
  } rows[] = {
      {"a log", get("/v1.41/containers/c1/logs?stdout=true"), proxy.line("GET", "logs"), chunked_head,
       chunk(std::string(8000, 'x'))},
      {"events", get("/v1.41/events"), "GET /v1.41/events", chunked_head, chunk(lines)},
      {"a tunnel", proxy.attach, proxy.line("POST", "attach"), switched, std::string(8000, 'x')},
  };
  std::size_t exchanges = 0;
  for (const auto& row : rows) {
    CAPTURE(std::string(row.what));
    std::atomic<std::size_t> sent = 0;
    std::atomic<bool> over = false;
    proxy.podman.on(row.line, [&](FakePodman::Connection& connection) {
      try {
        connection.send(row.head);
        for (; sent < flood; sent += row.piece.size()) connection.send(row.piece);
        over = true;
      } catch (const FakePodman::Connection::Gone&) {
        over = true;
        throw;
      }
    });
    auto client = proxy.client();
    client.send(row.request);
    CHECK(proxy.podman.saw(row.line));
    CHECK(proxy.alive());
    CHECK(eventually([&] { return over.load(); }));
    CHECK(sent < bound);
    CHECK(proxy.idle());
    CHECK(client.read_to_end().find("0\r\n\r\n") == std::string::npos);
    exchanges += 2;
    const auto audit = proxy.audit(exchanges);
    CHECK(audit.substr(audit.rfind('\n', audit.size() - 2) + 1).find(R"("aborted":"client-slow")") !=
          std::string::npos);
  }
}

TEST_CASE("a client that reads a little now and then gets everything, however long it takes") {
  Proxy proxy;
  const std::string piece(8000, 'x');
  proxy.podman.on(proxy.line("POST", "attach"), [&](FakePodman::Connection& connection) {
    connection.send(switched);
    for (int i = 0; i < 250; ++i) connection.send(piece);
    connection.close();
  });
  auto client = Socket::connect(proxy.socket());
  client.send(proxy.attach);
  // Reads less than the kernel counts as room, for several times the limit.
  std::size_t received = 0;
  for (int i = 0; i < 10; ++i) {
    std::this_thread::sleep_for(Milliseconds(300));
    const auto bytes = client.peek(patience).value_or("");
    client.skip(std::min<std::size_t>(bytes.size(), 20'000));
    received += std::min<std::size_t>(bytes.size(), 20'000);
  }
  for (auto bytes = client.receive(patience); bytes && !bytes->empty(); bytes = client.receive(patience))
    received += bytes->size();
  CHECK(received > 250 * piece.size());
  CHECK(proxy.audit(1).find(R"("aborted":"")") != std::string::npos);
}

TEST_CASE("the audit log says why an answer was not given whole") {
  Proxy proxy;
  const auto logs = get("/v1.41/containers/c1/logs?stdout=true");
  const auto last_line = [&](std::size_t lines) {
    const auto audit = proxy.audit(lines);
    return audit.substr(audit.rfind('\n', audit.size() - 2) + 1);
  };
  SUBCASE("upstream cut it") {
    proxy.podman.on(proxy.line("GET", "logs"), FakePodman::says_and_closes(chunked_head + "5\r\nhel"));
    proxy.ask(logs);
    CHECK(last_line(1).find(R"("aborted":"upstream")") != std::string::npos);
  }
  SUBCASE("the client left while it waited") {
    proxy.podman.on(proxy.line("GET", "logs"), [](FakePodman::Connection& connection) { connection.drain(); });
    auto client = proxy.client();
    client.send(logs);
    CHECK(proxy.podman.saw("/logs"));
    client.vanish();
    CHECK(last_line(1).find(R"("aborted":"client-gone")") != std::string::npos);
  }
  SUBCASE("the client left a tunnel") {
    proxy.podman.on(proxy.line("POST", "attach"), [](FakePodman::Connection& connection) {
      connection.send(switched);
      connection.drain();
    });
    auto client = proxy.client();
    client.send(proxy.attach);
    CHECK(client.read_head().status == 101);
    client.vanish();
    CHECK(last_line(1).find(R"("aborted":"client-gone")") != std::string::npos);
  }
  SUBCASE("podfence was stopped") {
    proxy.podman.on(proxy.line("GET", "logs"), [](FakePodman::Connection& connection) {
      connection.send(chunked_head);
      connection.drain();
    });
    auto client = proxy.client();
    client.send(logs);
    CHECK(client.read_head().status == 200);
    CHECK(proxy.stop());
    CHECK(last_line(1).find(R"("aborted":"stopped")") != std::string::npos);
  }
  SUBCASE("it was: a refusal, an answer, and a tunnel that upstream ended are whole") {
    proxy.podman.on(proxy.line("GET", "logs"), FakePodman::says(http_answer(200, "logs")));
    proxy.podman.on(proxy.line("POST", "attach"), FakePodman::says_and_closes(switched + "bye"));
    proxy.ask(logs);
    proxy.ask(get("/v1.41/containers/absent/json"));
    auto client = proxy.client();
    client.send(proxy.attach);
    CHECK(client.read_head().status == 101);
    CHECK(client.read_to_end() == "bye");
    client.vanish();
    const auto audit = proxy.audit(3);
    std::size_t whole = 0;
    for (auto at = audit.find(R"("aborted":"")"); at != std::string::npos; at = audit.find(R"("aborted":"")", at + 1))
      ++whole;
    CHECK(whole == 3);
  }
}
