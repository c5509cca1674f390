// Content that goes through as it comes (archives), and Expect: 100-continue, which is answered by the proxy after its
// decision and by nobody else (RFC 9110 section 10.1.1).

#include <doctest/doctest.h>

#include <thread>

#include "tests/support/messages.hpp"
#include "tests/support/running_proxy.hpp"

using namespace podfence::testing;
using podfence::rules::Kind;

namespace {

struct UploadProxy : RunningProxy {
  explicit UploadProxy(podfence::proxy::Limits limits = short_limits()) : RunningProxy(limits) {}
  std::string c1 = podman.add(Kind::Container, "c1", "p1");
  std::string c10 = podman.add(Kind::Container, "c10", "p10");

  /// Where the archive of c1 goes upstream.
  std::string line() const { return "PUT /v1.41/containers/" + c1 + "/archive?path=%2Ftmp"; }
};

std::string put(const std::string& container, const std::string& fields) {
  return "PUT /v1.41/containers/" + container +
         "/archive?path=/tmp HTTP/1.1\r\nHost: d\r\n"
         "Content-Type: application/x-tar\r\n" +
         fields + "\r\n";
}

/// Of an archive: what upstream gets together with the head.
const std::string beginning(512, 'b');

}  // namespace

TEST_CASE("an archive whose beginning has not come goes nowhere: Podman would keep the container's lock for it") {
  UploadProxy proxy;
  proxy.podman.on(proxy.line(), FakePodman::says(http_answer(200, "")));
  auto slow = proxy.client(), other = proxy.client();
  slow.send(put("c1", "Content-Length: 2000\r\n") + std::string(511, 'x'));
  CHECK(other.request(put("c1", "Content-Length: 5\r\n") + "hello").status == 200);
  CHECK_FALSE(proxy.podman.saw("xxx", Milliseconds(50)));
  slow.vanish();
  CHECK(other.request("GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n").status == 200);
  CHECK(proxy.podman.requests("PUT").size() == 1);
  slow = proxy.client();
  slow.send(put("c1", "Transfer-Encoding: chunked\r\n") + chunk(std::string(511, 'y')) + chunk("z"));
  CHECK(proxy.podman.saw("yz"));
}

TEST_CASE("an archive goes to upstream piece by piece, in our own framing") {
  std::string received;
  UploadProxy proxy;
  proxy.podman.on(proxy.line(), [&](FakePodman::Connection& connection) {
    received = connection.read_content();
    connection.send(http_answer(200, ""));
  });
  auto client = proxy.client();
  const auto first = beginning + "first ";
  SUBCASE("chunked") {
    client.send(put("c1", "Transfer-Encoding: chunked\r\n") + chunk(first));
    CHECK(proxy.podman.saw("first "));
    client.send("6;ext=1\r\nsecond\r\n0\r\n\r\n");
  }
  SUBCASE("sized") {
    client.send(put("c1", "Content-Length: " + std::to_string(first.size() + 6) + "\r\n") + first);
    CHECK(proxy.podman.saw("first "));
    client.send("second");
  }
  CHECK(client.read_answer().status == 200);
  CHECK(received == first + "second");
  const auto seen = proxy.podman.requests("PUT");
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].find("ext=1") == std::string::npos);
  CHECK(seen[0].find("Content-Type: application/x-tar\r\n") != std::string::npos);
  CHECK(client.request("GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n").content == "OK");
}

TEST_CASE("an archive above the limit of judged content passes unharmed") {
  std::string received;
  UploadProxy proxy;
  proxy.podman.on(proxy.line(), [&](FakePodman::Connection& connection) {
    received = connection.read_content();
    connection.send(http_answer(200, ""));
  });
  std::string all(3'000'000, ' ');
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<char>(i * 31 + i / 255);
  auto client = proxy.client();
  client.send(put("c1", "Content-Length: " + std::to_string(all.size()) + "\r\n") + all);
  CHECK(client.read_answer(Milliseconds(20'000)).status == 200);
  CHECK((received == all));
}

TEST_CASE("field case 63: 100-continue comes after the decision, and upstream never hears of it") {
  UploadProxy proxy;
  proxy.podman.on(proxy.line(), FakePodman::says(http_answer(200, "")));
  auto client = proxy.client();
  client.send(put("c1", "Content-Length: 5\r\nExpect: 100-continue\r\n"));
  CHECK(client.read_head().status == 100);
  client.send("hello");
  CHECK(client.read_answer().status == 200);
  CHECK_FALSE(proxy.podman.saw("xpect", Milliseconds(0)));
  CHECK(proxy.podman.saw("hello", Milliseconds(0)));
}

TEST_CASE("a create that expects 100-continue gets it, and is judged") {
  UploadProxy proxy;
  const std::string content = R"({"Image":"localhost/bb:latest"})";
  const auto head = "POST /v1.41/containers/create HTTP/1.1\r\nHost: d\r\nExpect: 100-Continue\r\nContent-Length: " +
                    std::to_string(content.size()) + "\r\n\r\n";
  auto client = proxy.client();
  client.send(head);
  CHECK(client.read_head().status == 100);
  client.send(content);
  CHECK(client.read_answer().status == 201);
  // A client that does not wait may be spared the interim answer, but not the final one.
  client.send(head + content);
  auto answer = client.read_answer();
  if (answer.status == 100) answer = client.read_answer();
  CHECK(answer.status == 201);
}

TEST_CASE("a refused upload gets its refusal instead of 100, and nothing of it goes upstream") {
  UploadProxy proxy;
  for (const auto* container : {"c10", "absent"}) {
    CAPTURE(container);
    auto client = proxy.client();
    client.send(put(container, "Content-Length: 5\r\nExpect: 100-continue\r\n"));
    CHECK(client.read_answer().status == 404);
    client.send("hello");
    CHECK_FALSE(proxy.podman.saw("hello", Milliseconds(20)));
  }
  auto client = proxy.client();
  client.send(
      "PUT /v1.41/containers/c1/archive?path=/tmp&zz=1 HTTP/1.1\r\nHost: d\r\nContent-Length: 5\r\n"
      "Expect: 100-continue\r\n\r\n");
  CHECK(client.read_answer().status == 400);
  CHECK(proxy.podman.requests("PUT").empty());
}

TEST_CASE("field case 62: an answer that comes before the upload is over reaches the client, which need not finish") {
  UploadProxy proxy;
  proxy.podman.on(proxy.line(), [](FakePodman::Connection& connection) {
    connection.send(http_answer(500, error_content(500, "no space left on device")));
    connection.pause(Milliseconds(20));
    connection.close();
  });
  auto client = proxy.client();
  client.send(put("c1", "Transfer-Encoding: chunked\r\n"));
  std::thread writer([&] {
    const auto piece = chunk(std::string(60'000, 'x'));
    for (int i = 0; i < 100; ++i) client.send(piece);
  });
  const auto answer = client.read_answer();
  CHECK(answer.status == 500);
  CHECK(answer.complete());
  CHECK(client.ended());
  writer.join();
  CHECK(proxy.alive());
}

TEST_CASE("a client that vanishes in the middle of an upload never ends it upstream") {
  UploadProxy proxy;
  proxy.podman.on(proxy.line(), [](FakePodman::Connection& connection) { connection.drain(); });
  auto client = proxy.client();
  client.send(put("c1", "Transfer-Encoding: chunked\r\n") + chunk(beginning + "the beginning"));
  CHECK(proxy.podman.saw("the beginning"));
  client.vanish();
  CHECK(proxy.podman.ended("the beginning"));
  for (const auto& request : proxy.podman.requests("PUT")) CHECK_FALSE(request.ends_with("0\r\n\r\n"));
}

TEST_CASE("an upload that stalls is cut after the content's idle time") {
  auto limits = short_limits();
  limits.content_idle_time = Milliseconds(100);
  UploadProxy proxy(limits);
  proxy.podman.on(proxy.line(), [](FakePodman::Connection& connection) { connection.drain(); });
  auto client = proxy.client();
  client.send(put("c1", "Content-Length: 1000\r\n") + beginning + "the beginning");
  CHECK(proxy.podman.ended("the beginning"));
  const auto answer = client.read_answer();
  CHECK((answer.status == 408 || answer.status == 0));
  CHECK(client.ended());
}

TEST_CASE("judged content that stalls gets 408, and upstream sees nothing of it") {
  auto limits = short_limits();
  limits.content_idle_time = Milliseconds(100);
  UploadProxy proxy(limits);
  auto client = proxy.client();
  client.send("POST /v1.41/containers/create HTTP/1.1\r\nHost: d\r\nContent-Length: 100\r\n\r\n{\"Image\":");
  CHECK(client.read_answer().status == 408);
  CHECK(client.ended());
  CHECK(proxy.podman.requests("POST").empty());
}

TEST_CASE("judged content that comes byte by byte has the idle time for all of it") {
  auto limits = short_limits();
  limits.content_idle_time = Milliseconds(300);
  UploadProxy proxy(limits);
  auto client = proxy.client();
  client.send("POST /v1.41/containers/create HTTP/1.1\r\nHost: d\r\nContent-Length: 1000\r\n\r\n{");
  for (int byte = 0; byte < 1000 && client.silent(Milliseconds(10)); ++byte) client.send(" ");
  CHECK(client.read_answer().status == 408);
  CHECK(client.ended());
  CHECK(proxy.podman.requests("POST").empty());
}

TEST_CASE("downloads and their HEAD carry the file's description") {
  UploadProxy proxy;
  const std::string fields =
      "HTTP/1.1 200 OK\r\nContent-Type: application/x-tar\r\nX-Docker-Container-Path-Stat: eyJuYW1lIjoidG1wIn0=\r\n";
  proxy.podman.on("HEAD /v1.41/containers/" + proxy.c1 + "/archive",
                  FakePodman::says(fields + "Content-Length: 0\r\n\r\n"));
  proxy.podman.on("GET /v1.41/containers/" + proxy.c1 + "/archive",
                  FakePodman::says(fields + "Transfer-Encoding: chunked\r\n\r\n" + chunk("tar") + "0\r\n\r\n"));
  auto client = proxy.client();
  client.send("HEAD /v1.41/containers/c1/archive?path=/tmp HTTP/1.1\r\nHost: d\r\n\r\n");
  const auto head = client.read_answer(patience, true);
  CHECK(head.status == 200);
  CHECK(head.field("X-Docker-Container-Path-Stat") == "eyJuYW1lIjoidG1wIn0=");
  const auto answer = client.request("GET /v1.41/containers/c1/archive?path=/tmp HTTP/1.1\r\nHost: d\r\n\r\n");
  CHECK(answer.content == "tar");
  CHECK(answer.field("X-Docker-Container-Path-Stat") == "eyJuYW1lIjoidG1wIn0=");
}
