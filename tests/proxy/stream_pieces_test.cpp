// How streams are cut: a line of JSON that upstream sends as one chunk is one chunk at the client, and a piece is there
// before upstream says anything more.

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "tests/support/messages.hpp"
#include "tests/support/running_proxy.hpp"

using namespace podfence::testing;
using podfence::rules::Kind;

namespace {

struct Stream {
  const char* what;
  std::string request, line;
  std::vector<std::string> lines;
};

struct Proxy : RunningProxy {
  std::string c1 = podman.add(Kind::Container, "c1", "p1");

  std::vector<Stream> streams() const {
    Stream events{"events", "GET /v1.41/events HTTP/1.1\r\nHost: d\r\n\r\n", "GET /v1.41/events", {}};
    Stream stats{"stats",
                 "GET /v1.41/containers/c1/stats?stream=true HTTP/1.1\r\nHost: d\r\n\r\n",
                 "GET /v1.41/containers/" + c1 + "/stats",
                 {}};
    Stream logs{"logs",
                "GET /v1.41/containers/c1/logs?stdout=true&follow=true HTTP/1.1\r\nHost: d\r\n\r\n",
                "GET /v1.41/containers/" + c1 + "/logs",
                {}};
    for (int i = 0; i < 40; ++i) {
      const auto number = std::to_string(i), filling = std::string(static_cast<std::size_t>(i) * 100, 'x');
      events.lines.push_back(R"({"Type":"container","Action":"start","Actor":{"ID":")" + c1 +
                             R"(","Attributes":{"appx.project":"p1","name":")" + filling + R"("}},"time":)" + number +
                             "}\n");
      stats.lines.push_back(R"({"number":)" + number + R"(,"name":")" + filling + "\"}\n");
      logs.lines.push_back("line " + number + filling + "\n");
    }
    return {events, stats, logs};
  }
};

}  // namespace

TEST_CASE("a line that is one chunk upstream is one chunk at the client, whether it comes alone or with others") {
  Proxy proxy;
  for (const auto& stream : proxy.streams()) {
    for (const std::size_t together : {1, 3, 40}) {
      CAPTURE(std::string(stream.what));
      CAPTURE(together);
      proxy.podman.on(stream.line, [&](FakePodman::Connection& connection) {
        connection.send(chunked_head);
        for (std::size_t i = 0; i < stream.lines.size(); i += together) {
          std::string bytes;
          for (auto n = i; n < std::min(i + together, stream.lines.size()); ++n) bytes += chunk(stream.lines[n]);
          connection.send(bytes);
        }
        connection.send("0\r\n\r\n");
      });
      const auto answer = proxy.ask(stream.request);
      CHECK(answer.complete());
      REQUIRE(answer.chunks.size() == stream.lines.size());
      const auto is_line = [](const std::string& text) { return text.find('\n') == text.size() - 1; };
      CHECK(std::ranges::all_of(answer.chunks, is_line));
      if (stream.what != std::string("events")) CHECK(answer.chunks == stream.lines);
    }
  }
}

TEST_CASE("every line is at the client before upstream says more, and how long that took is told") {
  Proxy proxy;
  for (const auto& stream : proxy.streams()) {
    CAPTURE(std::string(stream.what));
    std::atomic<std::size_t> read = 0;
    std::atomic<std::chrono::steady_clock::time_point> sent;
    proxy.podman.on(stream.line, [&](FakePodman::Connection& connection) {
      connection.send(chunked_head);
      for (std::size_t i = 0; i < stream.lines.size(); ++i) {
        while (read < i) connection.pause(Milliseconds(1));
        sent = std::chrono::steady_clock::now();
        connection.send(chunk(stream.lines[i]));
      }
      connection.send("0\r\n\r\n");
    });
    read = 0;
    auto client = proxy.client();
    client.send(stream.request);
    CHECK(client.read_head().status == 200);
    std::vector<double> delays;
    for (std::size_t i = 0; i < stream.lines.size(); ++i) {
      CHECK(client.read_until("\n\r\n").ends_with("\n\r\n"));
      const std::chrono::duration<double, std::milli> delay = std::chrono::steady_clock::now() - sent.load();
      delays.push_back(delay.count());
      read = i + 1;
    }
    CHECK(client.read_until("0\r\n\r\n") == "0\r\n\r\n");
    std::ranges::sort(delays);
    MESSAGE(std::string(stream.what), ": a line took ", delays[delays.size() / 2], " ms in the middle, ", delays.back(),
            " ms at most");
  }
}
