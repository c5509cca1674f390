// Attach and exec start in every form in which clients ask for them: both API families, with and without an upgrade,
// with and without a terminal. The same holds in each: every byte arrives, each direction ends by itself, and nothing
// is cut for being silent.

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "tests/support/messages.hpp"
#include "tests/support/running_proxy.hpp"

using namespace podfence::testing;
using podfence::rules::Kind;

namespace {

const std::string raw = "application/vnd.docker.raw-stream";
const std::string multiplexed = "application/vnd.docker.multiplexed-stream";

struct Form {
  std::string what;
  std::string target;     ///< with the container's or session's name in the place of %
  std::string content;    ///< of the request
  std::string canonical;  ///< the content that upstream gets
  bool is_exec;
  bool upgrades;
  std::string content_type;  ///< of the answer: how a terminal's stream is told from frames
};

std::vector<Form> forms() {
  std::vector<Form> all;
  for (const std::string family : {"/v1.41", "/v4.0.0/libpod"})
    for (const bool is_exec : {true, false})
      for (const bool upgrades : {true, false})
        for (const bool tty : {true, false})
          all.push_back(
              {family + (is_exec ? " exec" : " attach") + (upgrades ? ", upgrade" : "") + (tty ? ", tty" : ""),
               family + (is_exec ? "/exec/%/start" : "/containers/%/attach?stream=true&stdin=true&stdout=true"),
               is_exec ? std::string(R"({"Detach":false,"Tty":)") + (tty ? "true}" : "false}") : "",
               !is_exec ? "" : (tty ? R"({"Tty":true})" : "{}"), is_exec, upgrades, tty ? raw : multiplexed});
  return all;
}

struct Proxy : RunningProxy {
  explicit Proxy(podfence::proxy::Limits limits = short_limits()) : RunningProxy(limits) {}
  std::string c1 = podman.add(Kind::Container, "c1", "p1");
  std::string exec = podman.add(Kind::Exec, c1, "");

  std::string name(const Form& form) const { return form.is_exec ? exec : c1; }
  std::string request(const Form& form) const {
    auto target = form.target;
    target.replace(target.find('%'), 1, form.is_exec ? exec : "c1");
    return "POST " + target + " HTTP/1.1\r\nHost: d\r\n" + (form.upgrades ? upgrade : "") +
           (form.is_exec ? "Content-Type: application/json\r\n" : "") +
           "Content-Length: " + std::to_string(form.content.size()) + "\r\n\r\n" + form.content;
  }
  std::string line(const Form& form) const {
    auto target = form.target.substr(0, form.target.find('?'));
    target.replace(target.find('%'), 1, name(form));
    return "POST " + target;
  }
};

/// As Podman answers what it is asked with an upgrade (libpod/util.go:writeHijackHeader).
std::string with_upgrade(const Form& form) {
  return "HTTP/1.1 101 UPGRADED\r\nContent-Type: " + form.content_type +
         "\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n";
}

std::string without_upgrade(const Form& form) {
  return "HTTP/1.1 200 OK\r\nContent-Type: " + form.content_type + "\r\n\r\n";
}

void check_head(const Form& form, const WireAnswer& answer) {
  CHECK(answer.status == (form.upgrades ? 101 : 200));
  CHECK(answer.field("Connection") == (form.upgrades ? "Upgrade" : "close"));
  CHECK(answer.field("Upgrade") == (form.upgrades ? "tcp" : ""));
  CHECK(answer.field("Content-Type") == form.content_type);
  CHECK(answer.field("Content-Length") == "");
  CHECK(answer.field("Transfer-Encoding") == "");
}

}  // namespace

TEST_CASE("in every form both directions run, and the client's end reaches upstream, which still has its say") {
  for (const auto& form : forms()) {
    CAPTURE(form.what);
    for (const auto& head : {with_upgrade(form), without_upgrade(form)}) {
      Proxy proxy;
      proxy.podman.on(proxy.line(form), [&](FakePodman::Connection& connection) {
        CHECK(connection.read_content() == form.canonical);
        connection.send(head + "early upstream ");
        std::string all;
        for (auto piece = connection.receive(); !piece.empty(); piece = connection.receive()) {
          all += piece;
          connection.send(piece);
        }
        connection.send(" and the end of " + std::to_string(all.size()));
        connection.close();
      });
      auto client = proxy.client();
      client.send(proxy.request(form) + "early client ");
      check_head(form, client.read_head());
      CHECK(client.read_until("early client ") == "early upstream early client ");
      client.send("more");
      CHECK(client.read_until("more") == "more");
      client.half_close();
      CHECK(client.read_to_end() == " and the end of 17");
      CHECK(proxy.idle());
      const auto seen = proxy.podman.requests(proxy.line(form));
      REQUIRE(seen.size() == 1);
      CHECK(seen[0].find("\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n") != std::string::npos);
    }
  }
}

TEST_CASE("in every form a client whose input is empty from the start gets the output, however often") {
  // 32 of them for each of the sixteen forms: more than 500.
  for (const auto& form : forms()) {
    CAPTURE(form.what);
    Proxy proxy;
    proxy.podman.on(proxy.line(form), [&](FakePodman::Connection& connection) {
      connection.read_content();
      connection.send(with_upgrade(form));
      while (!connection.receive().empty()) continue;  // to the end of the input
      connection.send("output");
      connection.close();
    });
    for (int i = 0; i < 32; ++i) {
      auto client = proxy.client();
      client.send(proxy.request(form));
      client.half_close();
      check_head(form, client.read_head());
      CHECK(client.read_to_end() == "output");
    }
    CHECK(proxy.idle());
  }
}

TEST_CASE("in every form an end that comes at any moment before the 101 is the end of the input, not of the stream") {
  for (const auto& form : forms()) {
    CAPTURE(form.what);
    Proxy proxy;
    Gate ended;
    proxy.podman.on(proxy.line(form), [&](FakePodman::Connection& connection) {
      connection.read_content();
      connection.wait(ended);
      connection.send(with_upgrade(form));
      std::string all;
      for (auto piece = connection.receive(); !piece.empty(); piece = connection.receive()) all += piece;
      connection.send("got " + all);
      connection.close();
    });
    auto client = proxy.client();
    client.send(proxy.request(form) + "input");
    client.half_close();
    CHECK(proxy.podman.saw(proxy.line(form)));
    ended.open();
    check_head(form, client.read_head());
    CHECK(client.read_to_end() == "got input");
  }
}

TEST_CASE("in every form upstream's end comes at once, and the client's input still goes to who reads it") {
  for (const auto& form : forms()) {
    CAPTURE(form.what);
    Proxy proxy;
    proxy.podman.on(proxy.line(form), [&](FakePodman::Connection& connection) {
      connection.read_content();
      connection.send(with_upgrade(form) + "bye");
      connection.half_close();
      connection.drain();
    });
    auto client = proxy.client();
    client.send(proxy.request(form));
    check_head(form, client.read_head());
    CHECK(client.read_to_end() == "bye");
    client.send("still here");
    CHECK(proxy.podman.saw("still here"));
    client.half_close();
    CHECK(proxy.podman.ended("still here"));
    CHECK(proxy.idle());
  }
}

TEST_CASE("a tunnel is silent for many times every limit, and lives") {
  auto limits = short_limits();
  const Milliseconds limit(25);
  limits.head_time = limits.idle_time = limits.content_idle_time = limit;
  limits.send_idle_time = limits.stream_send_idle_time = limits.close_time = limits.drain_time = limit;
  Proxy proxy(limits);
  const auto form = forms().front();
  bool half_closed = false;
  SUBCASE("both directions are open") {}
  SUBCASE("the client has no more to say") { half_closed = true; }
  proxy.podman.on(proxy.line(form), [&](FakePodman::Connection& connection) {
    connection.read_content();
    connection.send(with_upgrade(form));
    connection.pause(30 * limit);
    connection.send("awake");
    connection.close();
  });
  auto client = proxy.client();
  client.send(proxy.request(form));
  check_head(form, client.read_head());
  if (half_closed) client.half_close();
  CHECK(client.read_to_end() == "awake");
}

TEST_CASE("behind upstream's end a client that goes on has the close time, whether upstream reads on or not") {
  auto limits = short_limits();
  limits.close_time = Milliseconds(100);
  Proxy proxy(limits);
  const auto form = forms().front();
  Gate over;
  std::string input = "x";
  SUBCASE("the client is silent") { input = ""; }
  SUBCASE("the client has said something") {}
  SUBCASE("the client has said more than upstream takes") { input = std::string(2'000'000, 'x'); }
  proxy.podman.on(proxy.line(form), [&](FakePodman::Connection& connection) {
    connection.read_content();
    connection.send(with_upgrade(form) + "bye");
    connection.half_close();
    connection.wait(over);
  });
  auto client = proxy.client();
  client.send(proxy.request(form));
  check_head(form, client.read_head());
  std::thread writer([&] { client.send(input); });
  CHECK(proxy.idle());
  over.open();
  writer.join();
  CHECK(client.read_to_end() == "bye");
}
