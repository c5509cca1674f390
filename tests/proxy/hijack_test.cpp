// Attach and exec start: after the head a raw stream both ways (Podman libpod/util.go:writeHijackHeader). Every byte
// arrives, each direction ends by itself, and nothing that belongs to the stream is ever read as a request.

#include <doctest/doctest.h>

#include <thread>

#include "tests/support/messages.hpp"
#include "tests/support/running_proxy.hpp"

using namespace podfence::testing;
using podfence::rules::Kind;

namespace {

const std::string start_content = R"({"Detach":false,"Tty":false})";
const std::string unswitched = "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.docker.raw-stream\r\n\r\n";

/// A proxy with a container c1 of p1 and an exec session in it, whose start is scripted.
struct ExecProxy : RunningProxy {
  std::string c1 = podman.add(Kind::Container, "c1", "p1");
  std::string exec = podman.add(Kind::Exec, c1, "");

  std::string request(const std::string& fields = upgrade, const std::string& content = start_content) const {
    return "POST /v1.41/exec/" + exec + "/start HTTP/1.1\r\nHost: d\r\n" + fields +
           "Content-Type: application/json\r\nContent-Length: " + std::to_string(content.size()) + "\r\n\r\n" + content;
  }
  void on_start(FakePodman::Script script) { podman.on("POST /v1.41/exec/" + exec + "/start", std::move(script)); }
  /// Upstream switches with this head and these first bytes, and echoes from then on.
  void echoes(const std::string& head, const std::string& early = "") {
    on_start([head, early](FakePodman::Connection& connection) {
      connection.read_content();
      connection.send(head + early);
      connection.echo();
    });
  }
};

}  // namespace

TEST_CASE("a client that asks for an upgrade gets 101 and a stream of its own") {
  ExecProxy proxy;
  proxy.echoes(switched);
  auto client = proxy.client();
  client.send(proxy.request());
  const auto answer = client.read_head();
  CHECK(answer.status == 101);
  CHECK(answer.field("Connection") == "Upgrade");
  CHECK(answer.field("Upgrade") == "tcp");
  CHECK(answer.field("Content-Type") == "application/vnd.docker.raw-stream");
  CHECK(answer.field("Content-Length") == "");
  CHECK(answer.field("Transfer-Encoding") == "");
  client.send("ping\n");
  CHECK(client.read_until("ping\n") == "ping\n");
  client.half_close();
  CHECK(client.read_to_end() == "");
}

TEST_CASE("upstream is asked with exactly Connection: Upgrade and Upgrade: tcp, whatever list the client sent") {
  for (const auto* fields :
       {"Connection: Upgrade\r\nUpgrade: tcp\r\n", "connection: keep-alive, upgrade\r\nupgrade: TCP\r\n"}) {
    CAPTURE(fields);
    ExecProxy proxy;
    proxy.echoes(switched);
    auto client = proxy.client();
    client.send(proxy.request(fields));
    CHECK(client.read_head().status == 101);
    const auto seen = proxy.podman.requests("POST");
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].starts_with("POST /v1.41/exec/" + proxy.exec + "/start HTTP/1.1\r\n"));
    CHECK(seen[0].find("\r\nConnection: Upgrade\r\n") != std::string::npos);
    CHECK(seen[0].find("\r\nUpgrade: tcp\r\n") != std::string::npos);
    CHECK(seen[0].find("eep-alive") == std::string::npos);
  }
}

TEST_CASE("field case 41: a client without upgrade fields gets 200 and a stream in both directions") {
  for (const auto& head : {switched, unswitched}) {
    CAPTURE(head);
    ExecProxy proxy;
    proxy.echoes(head, "hello ");
    auto client = proxy.client();
    client.send(proxy.request(""));
    const auto answer = client.read_head();
    CHECK(answer.status == 200);
    CHECK(answer.field("Content-Length") == "");
    CHECK(answer.field("Transfer-Encoding") == "");
    client.send("world");
    CHECK(client.read_until("world") == "hello world");
    client.half_close();
    CHECK(client.ended());
  }
}

TEST_CASE("upstream's 200 without length is a stream also for a client that asked for an upgrade") {
  ExecProxy proxy;
  proxy.echoes(unswitched);
  auto client = proxy.client();
  client.send(proxy.request());
  const auto answer = client.read_head();
  CHECK((answer.status == 200 || answer.status == 101));
  client.send("ping");
  CHECK(client.read_until("ping") == "ping");
}

TEST_CASE(
    "field case 47: bytes right behind the client's head, and right behind the 101, are the first of the stream") {
  ExecProxy proxy;
  proxy.echoes(switched, "early upstream ");
  auto client = proxy.client();
  const auto bytes = proxy.request() + "early client";
  SUBCASE("whole") { client.send(bytes); }
  SUBCASE("byte by byte") { client.send_bytewise(bytes); }
  CHECK(client.read_head().status == 101);
  CHECK(client.read_until("early client") == "early upstream early client");
}

TEST_CASE("a request in the stream is bytes of the stream") {
  ExecProxy proxy;
  proxy.echoes(switched);
  auto client = proxy.client();
  const std::string bytes = "DELETE /v1.41/containers/c1 HTTP/1.1\r\nHost: d\r\n\r\n";
  client.send(proxy.request() + bytes);
  CHECK(client.read_head().status == 101);
  CHECK(client.read_until(bytes) == bytes);
  CHECK(proxy.podman.requests("DELETE").empty());
}

TEST_CASE("field case 38: a client's end that comes before the 101 is handed on after it") {
  ExecProxy proxy;
  proxy.on_start([](FakePodman::Connection& connection) {
    connection.read_content();
    connection.pause(Milliseconds(50));
    connection.send(switched);
    connection.drain();
    connection.send("late output");
    connection.close();
  });
  auto client = proxy.client();
  client.send(proxy.request());
  client.half_close();
  CHECK(client.read_head().status == 101);
  CHECK(client.read_to_end() == "late output");
}

TEST_CASE("field cases 34, 35 and 39: a half-closed client still gets all that upstream has to say") {
  ExecProxy proxy;
  proxy.on_start([](FakePodman::Connection& connection) {
    connection.read_content();
    connection.send(switched);
    std::string all;
    for (auto piece = connection.receive(); !piece.empty(); piece = connection.receive()) all += piece;
    connection.pause(Milliseconds(100));
    connection.send("got " + std::to_string(all.size()));
    connection.pause(Milliseconds(20));
    connection.send(" bytes");
    connection.close();
  });
  auto client = proxy.client();
  client.send(proxy.request());
  CHECK(client.read_head().status == 101);
  client.send(std::string(100'000, 'x'));
  client.half_close();
  CHECK(client.read_to_end() == "got 100000 bytes");
}

TEST_CASE("the end of upstream's stream comes to the client at once, and both connections go") {
  ExecProxy proxy;
  proxy.on_start([](FakePodman::Connection& connection) {
    connection.read_content();
    connection.send(switched + "bye");
    connection.close();
  });
  auto client = proxy.client();
  client.send(proxy.request());
  CHECK(client.read_head().status == 101);
  CHECK(client.read_to_end(Milliseconds(900)) == "bye");  // well below close_time
}

TEST_CASE("upstream's end leaves the other direction open until the client ends or the close time is over") {
  ExecProxy proxy;
  proxy.on_start([](FakePodman::Connection& connection) {
    connection.read_content();
    connection.send(switched + "bye");
    connection.half_close();
    connection.drain();
  });
  auto client = proxy.client();
  client.send(proxy.request());
  CHECK(client.read_head().status == 101);
  CHECK(client.read_to_end(Milliseconds(900)) == "bye");
  client.send("still here");
  CHECK(proxy.podman.saw("still here"));
  CHECK(proxy.podman.ended("still here"));
}

TEST_CASE("a client that vanishes takes its stream along") {
  auto limits = short_limits();
  limits.close_time = Milliseconds(100);
  RunningProxy proxy(limits);
  const auto c1 = proxy.podman.add(Kind::Container, "c1", "p1");
  proxy.podman.on("POST /v1.41/containers/" + c1 + "/attach", [](FakePodman::Connection& connection) {
    connection.send(switched);
    connection.drain();
  });
  auto client = proxy.client();
  client.send("POST /v1.41/containers/c1/attach?stream=1&stdin=1 HTTP/1.1\r\nHost: d\r\n" + upgrade + "\r\n");
  CHECK(client.read_head().status == 101);
  client.vanish();
  CHECK(proxy.podman.ended("/attach"));
}

TEST_CASE("more bytes than any buffer holds pass in both directions at once") {
  ExecProxy proxy;
  proxy.echoes(switched);
  auto client = proxy.client();
  client.send(proxy.request());
  CHECK(client.read_head().status == 101);
  std::string all(6'000'000, ' ');
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<char>(i * 7 + i / 251);
  std::thread writer([&] {
    client.send(all);
    client.half_close();
  });
  const auto echoed = client.read_to_end(Milliseconds(20'000));
  writer.join();
  CHECK(echoed.size() == all.size());
  CHECK((echoed == all));
}

TEST_CASE("an exec that is started detached answers like any request, and says whether the connection goes on") {
  ExecProxy proxy;
  proxy.on_start(FakePodman::says(http_answer(200, "\n")));
  auto client = proxy.client();
  const auto answer = client.request(proxy.request("", R"({"Detach":true})"));
  CHECK(answer.status == 200);
  CHECK(answer.complete());
  CHECK_FALSE(answer.until_end);
  if (answer.field("Connection") == "close")
    CHECK(client.ended());
  else
    CHECK(client.request("GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n").content == "OK");
}

TEST_CASE("an error before the stream is an ordinary answer") {
  ExecProxy proxy;
  proxy.on_start(FakePodman::says(http_answer(409, error_content(409, "exec session is not in the right state"))));
  const auto answer = proxy.ask(proxy.request());
  CHECK(answer.status == 409);
  CHECK(answer.complete());
  CHECK(answer.content.find("not in the right state") != std::string::npos);
}

TEST_CASE("bytes sent ahead of a stream that does not come are no request") {
  ExecProxy proxy;
  proxy.on_start(FakePodman::says(http_answer(409, error_content(409, "wrong state"))));
  for (const auto& fields : {upgrade, std::string()}) {
    CAPTURE(fields);
    auto client = proxy.client();
    client.send(proxy.request(fields) + "DELETE /v1.41/containers/c1 HTTP/1.1\r\nHost: d\r\n\r\n");
    CHECK(client.read_answer().status == 409);
    CHECK(client.ended());
  }
  CHECK(proxy.podman.requests("DELETE").empty());
}

TEST_CASE("the exec session of another project is hidden, and the bytes behind its start go nowhere") {
  ExecProxy proxy;
  proxy.echoes(switched);
  auto client = proxy.client("p10");
  client.send(proxy.request() + "secret of the client");
  CHECK(client.read_answer().status == 404);
  CHECK_FALSE(proxy.podman.saw("secret of the client", Milliseconds(50)));
  CHECK(proxy.podman.requests("POST").empty());
}
