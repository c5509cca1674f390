// The client goes away at every byte of every kind of message: while it sends, while it waits, while it reads, in a
// tunnel; by closing, by a reset, or by ending its own direction only. Nothing that is not whole is carried out or
// ended upstream, no connection is left behind, and nobody else notices.

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <atomic>
#include <cstring>
#include <memory>

#include "tests/support/eventually.hpp"
#include "tests/support/messages.hpp"
#include "tests/support/running_proxy.hpp"

using namespace podfence::testing;
using podfence::rules::Kind;

namespace {

struct Proxy : RunningProxy {
  std::string c1 = podman.add(Kind::Container, "c1", "p1");
  std::atomic<std::size_t> ends = 0;    ///< of upstream connections that a script read to their end
  std::atomic<std::size_t> wholes = 0;  ///< of uploads that upstream could take for whole

  std::string line(const std::string& method, const std::string& verb) const {
    return method + " /v1.41/containers/" + c1 + "/" + verb;
  }
  /// Upstream says this, and reads until the proxy ends the connection.
  void holds(const std::string& start, const std::string& bytes) {
    podman.on(start, [this, bytes](FakePodman::Connection& connection) {
      connection.read_content();
      connection.send(bytes);
      connection.drain();
      ++ends;
    });
  }
  bool ended(std::size_t count) const {
    return eventually([&] { return ends >= count; }) && ends == count;
  }
};

enum class Leaving { Close, HalfClose };

struct Sending {
  const char* what;
  std::string bytes;
  std::string line;  ///< of what upstream must not do before all bytes are there
  int status;
};

std::vector<Sending> sendings(const Proxy& proxy) {
  const std::string content = R"({"Image":"localhost/bb:latest"})";
  const std::string put = "PUT /v1.41/containers/c1/archive?path=/tmp HTTP/1.1\r\nHost: d\r\n";
  return {
      {"no content", get("/v1.41/containers/c1/json"), "GET /v1.41/containers/" + proxy.c1 + "/json", 200},
      {"content that is judged",
       "POST /v1.41/containers/create HTTP/1.1\r\nHost: d\r\nContent-Length: " + std::to_string(content.size()) +
           "\r\n\r\n" + content,
       "POST /v1.41/containers/create", 201},
      {"content that is judged, in chunks",
       "POST /v1.41/containers/create HTTP/1.1\r\nHost: d\r\nTransfer-Encoding: chunked\r\n\r\n" +
           chunk(content.substr(0, 9)) + chunk(content.substr(9)) + "0\r\n\r\n",
       "POST /v1.41/containers/create", 201},
      {"an archive", put + "Content-Length: 7\r\n\r\narchive", proxy.line("PUT", "archive"), 200},
      {"an archive in chunks", put + "Transfer-Encoding: chunked\r\n\r\n" + chunk("arch") + chunk("ive") + "0\r\n\r\n",
       proxy.line("PUT", "archive"), 200},
  };
}

/// What a client that only ended its own direction reads: nothing when there was no whole head, else why.
void check_half_closed(const Sending& row, std::size_t sent, RawClient& client) {
  if (sent == row.bytes.size()) {
    CHECK(client.read_answer().status == row.status);
  } else if (sent >= row.bytes.find("\r\n\r\n") + 4) {
    const auto answer = client.read_answer();
    CHECK(answer.status == 400);
    CHECK(answer.content.find("http.framing") != std::string::npos);
  }
  CHECK(client.ended());
}

}  // namespace

TEST_CASE("a client that leaves at any byte of what it sends has nothing carried out that is not whole") {
  const auto kinds = sendings(Proxy()).size();
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    // A proxy for each, and the client that waits for no answer last: its whole request reaches upstream whenever it
    // may, and must not be taken for one of those that are not whole.
    Proxy proxy;
    const auto row = sendings(proxy).at(kind);
    proxy.podman.on(proxy.line("PUT", "archive"), [&](FakePodman::Connection& connection) {
      const auto content = connection.read_content();  // throws where it is not whole
      CHECK(content == "archive");
      ++proxy.wholes;
      connection.send(http_answer(200, ""));
    });
    CAPTURE(std::string(row.what));
    const bool streams = row.line.starts_with("PUT");
    const auto carried_out = [&] { return streams ? proxy.wholes.load() : proxy.podman.requests(row.line).size(); };
    for (const auto leaving : {Leaving::HalfClose, Leaving::Close}) {
      for (std::size_t sent = 0; sent <= row.bytes.size(); ++sent) {
        CAPTURE(static_cast<int>(leaving));
        CAPTURE(sent);
        proxy.podman.forget();
        const auto before = carried_out();
        auto client = proxy.client();
        client.send(row.bytes.substr(0, sent));
        if (leaving == Leaving::HalfClose) {
          client.half_close();
          check_half_closed(row, sent, client);
        }
        client.vanish();
        CHECK(proxy.idle());
        if (sent < row.bytes.size()) CHECK(carried_out() == before);
      }
      CHECK(proxy.alive());
    }
  }
}

TEST_CASE("a client that leaves while it waits takes its request along") {
  Proxy proxy;
  const std::string attach = "POST /v1.41/containers/c1/attach?stream=1&stdin=1 HTTP/1.1\r\nHost: d\r\n" + upgrade;
  const struct {
    const char* what;
    std::string request, line;
  } rows[] = {
      {"a stream", get("/v1.41/containers/c1/logs?stdout=true"), proxy.line("GET", "logs")},
      {"a list", get("/v1.41/containers/json"), "GET /v1.41/containers/json"},
      {"events", get("/v1.41/events"), "GET /v1.41/events"},
      {"a tunnel", attach + "\r\n", proxy.line("POST", "attach")},
      {"a wait", "POST /v1.41/containers/c1/wait HTTP/1.1\r\nHost: d\r\n\r\n", proxy.line("POST", "wait")},
      {"a fact", "DELETE /v1.41/containers/c1 HTTP/1.1\r\nHost: d\r\n\r\n", "GET /v4.0.0/libpod/containers/c1/json"},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.what));
    Gate arrived;
    const auto before = proxy.ends.load();
    proxy.podman.on(row.line, [&](FakePodman::Connection& connection) {
      connection.read_content();
      arrived.open();
      connection.drain();
      ++proxy.ends;
    });
    auto client = proxy.client();
    client.send(row.request);
    CHECK(eventually([&] { return arrived.is_open(); }));
    CHECK(arrived.is_open());
    client.vanish();
    CHECK(proxy.ended(before + 1));
    CHECK(proxy.idle());
  }
  CHECK(proxy.podman.requests("DELETE").empty());
}

TEST_CASE("nothing is changed and no program is run for a client that has gone when that is decided") {
  Proxy proxy;
  const auto exec = proxy.podman.add(Kind::Exec, proxy.c1, "");
  const std::string content = R"({"Detach":false,"Tty":false})";
  const struct {
    const char* what;
    std::string request, asked, line;
  } rows[] = {
      {"an exec session",
       "POST /v1.41/exec/" + exec + "/start HTTP/1.1\r\nHost: d\r\nContent-Length: " + std::to_string(content.size()) +
           "\r\n\r\n" + content,
       "GET /v4.0.0/libpod/exec/" + exec + "/json", "POST /v1.41/exec/"},
      {"a removal", "DELETE /v1.41/containers/c1 HTTP/1.1\r\nHost: d\r\n\r\n", "GET /v4.0.0/libpod/containers/c1/json",
       "DELETE"},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.what));
    for (int i = 0; i < 10; ++i) {
      const auto arrived = std::make_shared<Gate>(), left = std::make_shared<Gate>();
      proxy.podman.on(row.asked, [=](FakePodman::Connection& connection) {
        arrived->open();
        connection.wait(*left);
        connection.answer();
      });
      auto client = proxy.client();
      client.send(row.request);
      CHECK(eventually([&] { return arrived->is_open(); }));
      client.vanish();
      left->open();
      CHECK(proxy.idle());
    }
    CHECK(proxy.alive());
    CHECK(proxy.podman.requests(row.line).empty());
  }
}

TEST_CASE("what upstream makes is seen to its end when the client leaves, and its late answer goes to nobody else") {
  Proxy proxy;
  Gate arrived, left;
  proxy.podman.on("POST /v1.41/containers/create", [&](FakePodman::Connection& connection) {
    connection.read_content();
    arrived.open();
    connection.wait(left);
    connection.send(http_answer(201, R"({"Id":"late","Warnings":[]})"));
  });
  auto client = proxy.client();
  const std::string content = R"({"Image":"localhost/bb:latest"})";
  client.send("POST /v1.41/containers/create HTTP/1.1\r\nHost: d\r\nContent-Length: " + std::to_string(content.size()) +
              "\r\n\r\n" + content);
  CHECK(eventually([&] { return arrived.is_open(); }));
  client.vanish();
  CHECK(proxy.alive());
  CHECK(eventually([&] { return proxy.clients() == 1; }));
  left.open();
  CHECK(proxy.idle());
  for (int i = 0; i < 10; ++i) CHECK(proxy.alive());
}

TEST_CASE("a client that leaves at any byte of its answer ends upstream's side as well") {
  Proxy proxy;
  const std::string line(R"({"Type":"container","Action":"start","Actor":{"ID":")" + proxy.c1 +
                         R"(","Attributes":{"appx.project":"p1"}},"time":1})" + "\n");
  const struct {
    const char* what;
    std::string request, line, answer;
    std::string last;  ///< bytes of the client's answer
  } rows[] = {
      {"a stream", get("/v1.41/containers/c1/logs?stdout=true"), proxy.line("GET", "logs"),
       chunked_head + chunk("hello") + chunk("world"), "world\r\n"},
      {"events", get("/v1.41/events"), "GET /v1.41/events", chunked_head + chunk(line), "}\n\r\n"},
      {"a tunnel", "POST /v1.41/containers/c1/attach?stream=1&stdin=1 HTTP/1.1\r\nHost: d\r\n" + upgrade + "\r\n",
       proxy.line("POST", "attach"), switched + "output", "output"},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.what));
    auto ends = proxy.ends.load();
    proxy.holds(row.line, row.answer);
    auto whole = proxy.client();
    whole.send(row.request);
    const auto size = whole.read_until(row.last).size();
    whole.vanish();
    CHECK(proxy.ended(++ends));
    for (std::size_t read = 0; read < size; ++read) {
      CAPTURE(read);
      auto client = Socket::connect(proxy.socket());
      client.send(row.request);
      while (client.peek(patience).value_or(std::string(size, ' ')).size() <= read) continue;
      client.skip(read);
      client.close();  // with something unread: a reset
      CHECK(proxy.ended(++ends));
    }
    proxy.podman.forget();
    CHECK(proxy.idle());
    CHECK(proxy.alive());
  }
}

TEST_CASE("in a tunnel upstream gets all that the client sent before it left, at whatever byte, and then the end") {
  const std::string input = "typed before leaving";
  std::string received;  // written before `ends` is counted
  Proxy proxy;
  proxy.podman.on(proxy.line("POST", "attach"), [&](FakePodman::Connection& connection) {
    connection.send(switched);
    std::string all;
    for (auto piece = connection.receive(); !piece.empty(); piece = connection.receive()) all += piece;
    received = all;
    ++proxy.ends;
    connection.close();
  });
  std::size_t ends = 0;
  for (const auto leaving : {Leaving::Close, Leaving::HalfClose}) {
    for (std::size_t sent = 0; sent <= input.size(); ++sent) {
      CAPTURE(static_cast<int>(leaving));
      CAPTURE(sent);
      auto client = proxy.client();
      client.send("POST /v1.41/containers/c1/attach?stream=1&stdin=1 HTTP/1.1\r\nHost: d\r\n" + upgrade + "\r\n");
      CHECK(client.read_head().status == 101);
      client.send(input.substr(0, sent));
      if (leaving == Leaving::HalfClose) {
        client.half_close();
        CHECK(client.read_to_end() == "");
      }
      client.vanish();
      REQUIRE(proxy.ended(++ends));
      CHECK(received == input.substr(0, sent));
      CHECK(proxy.idle());
    }
  }
  CHECK(proxy.alive());
}

TEST_CASE("a client that has sent its own end into its connection is seen to go as well") {
  Proxy proxy;
  constexpr int of_rights = 83;  // SO_PASSRIGHTS, Linux 6.16
  Socket probe(::socket(AF_UNIX, SOCK_STREAM, 0));
  constexpr int no = 0;
  if (::setsockopt(probe.file(), SOL_SOCKET, of_rights, &no, sizeof no) != 0) {
    MESSAGE("SKIPPED: descriptors sent by clients: this kernel cannot refuse them");
    return;
  }
  proxy.holds(proxy.line("GET", "logs"), "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  {
    auto client = Socket::connect(proxy.socket());
    REQUIRE(client.send("GET /v1.41/containers/c1/logs?follow=true&stdout=true HTTP/1.1\r\nHost: d\r\n\r\n"));
    REQUIRE(client.receive(patience));
    char byte = 'x';
    iovec part{&byte, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    auto* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    const int own = client.file();
    std::memcpy(CMSG_DATA(rights), &own, sizeof own);
    CHECK(::sendmsg(client.file(), &message, MSG_NOSIGNAL) < 0);
  }
  CHECK(proxy.ended(1));
  CHECK(proxy.idle());
}
