// The bridge from a port of the loopback address to the operator's socket.

#include "proxy/dashboard.hpp"

#include <doctest/doctest.h>

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <thread>

#include "tests/support/eventually.hpp"
#include "tests/support/running_operator.hpp"

using namespace podfence;
using namespace podfence::proxy;
using boost::asio::ip::tcp;

namespace {

/// Everything that comes, to the end of the connection or to `end`.
std::string ask(const std::string& host, const std::string& method, const std::string& target, const std::string& named,
                const std::string& end = "") {
  boost::asio::io_context own;
  tcp::socket socket(own);
  const auto port = std::stoi(host.substr(host.find(':') + 1));
  socket.connect(tcp::endpoint(boost::asio::ip::address_v4::loopback(), static_cast<unsigned short>(port)));
  boost::asio::write(socket, boost::asio::buffer(method + " " + target + " HTTP/1.1\r\nHost: " + named +
                                                 "\r\nConnection: close\r\n\r\n"));
  std::string read;
  char piece[4096];
  boost::system::error_code error;
  while (!error && (end.empty() || read.find(end) == std::string::npos))
    read.append(piece, socket.read_some(boost::asio::buffer(piece), error));
  return read;
}

/// http://127.0.0.1:PORT/WORD/
struct Address {
  explicit Address(const std::string& text)
      : host(text.substr(7, text.find('/', 7) - 7)), word(text.substr(text.find('/', 7))) {}
  std::string host, word;
};

struct Bridge {
  Bridge()
      : dashboard(context, podfence.path, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)),
        thread([this] { context.run(); }) {
    const Address address(dashboard.address());
    host = address.host;
    word = address.word;
  }
  ~Bridge() {
    boost::asio::post(context, [this] { dashboard.stop(); });
    thread.join();
  }

  std::string ask(const std::string& method, const std::string& target, const std::string& named,
                  const std::string& end = "") const {
    return ::ask(host, method, target, named, end);
  }
  std::string get(const std::string& path, const std::string& end = "") const {
    return ask("GET", word + path, host, end);
  }

  testing::RunningOperator podfence;
  boost::asio::io_context context{1};
  Dashboard dashboard;
  std::thread thread;
  std::string host;
  std::string word;
};

bool has_status(const std::string& answer, const std::string& status) {
  return answer.starts_with("HTTP/1.1 " + status + " ");
}

}  // namespace

TEST_CASE("the page and what it needs come through the bridge") {
  Bridge bridge;
  CHECK(bridge.word.size() == 34);
  const auto page = bridge.get("");
  CHECK(has_status(page, "200"));
  CHECK(page.find("Content-Type: text/html; charset=utf-8\r\n") != std::string::npos);
  CHECK(
      page.find("Content-Security-Policy: default-src 'none'; connect-src 'self'; img-src data:; style-src 'sha256-") !=
      std::string::npos);
  CHECK(page.find("X-Content-Type-Options: nosniff\r\n") != std::string::npos);
  CHECK(page.ends_with("</html>\n"));
  CHECK(bridge.get("projects").find(R"("id":"p10")") != std::string::npos);
  CHECK(has_status(bridge.get("projects/p1"), "200"));
  CHECK(bridge.get("history").find(R"({"minutes":[{)") != std::string::npos);
  CHECK(has_status(bridge.ask("HEAD", bridge.word, bridge.host), "200"));
  bridge.podfence.ask("p1", "GET /v1.41/nothing HTTP/1.1\r\nHost: d\r\n\r\n");
  CHECK(bridge.get("decisions?recent=5", "}\n\n").find(R"("rule":"endpoint.unknown")") != std::string::npos);
}

TEST_CASE("a page whose podfence is not there says so, and of which socket") {
  boost::asio::io_context context{1};
  const tcp::endpoint any(boost::asio::ip::address_v4::loopback(), 0);
  Dashboard dashboard(context, "/nowhere/admin.sock", any);
  std::thread thread([&] { context.run(); });
  const Address address(dashboard.address());
  const auto answer = ask(address.host, "GET", address.word, address.host);
  CHECK(has_status(answer, "503"));
  CHECK(answer.find("nobody answers on the operator's socket: /nowhere/admin.sock") != std::string::npos);
  CHECK(answer.find("Look whether podfence is running") != std::string::npos);
  boost::asio::post(context, [&] { dashboard.stop(); });
  thread.join();
}

TEST_CASE("a port that somebody has is told by its address and the reason") {
  boost::asio::io_context context{1};
  const tcp::acceptor taken(context, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
  const auto port = std::to_string(taken.local_endpoint().port());
  const auto wanted = "cannot listen on 127.0.0.1:" + port + ": Address already in use";
  CHECK_THROWS_WITH(Dashboard(context, "/nowhere/admin.sock", taken.local_endpoint()), wanted.c_str());
}

TEST_CASE("a browser that goes makes room for another reader at once") {
  Bridge bridge;
  for (int i = 0; i < 20; ++i) {
    const auto begun = bridge.get("decisions", "as they are made\n\n");
    REQUIRE_MESSAGE(has_status(begun, "200"), i, begun);
    REQUIRE(testing::eventually([&] {
      return bridge.podfence.get("/metrics").content.find("podfence_decision_readers 0\n") != std::string::npos;
    }));
  }
}

TEST_CASE("who does not know the address finds nothing") {
  Bridge bridge;
  auto wrong = bridge.word;
  wrong[5] = wrong[5] == 'a' ? 'b' : 'a';
  for (const auto& target : {std::string("/"), std::string("/projects"), wrong, wrong + "projects",
                             bridge.word.substr(0, 20), "/" + bridge.word, std::string("/favicon.ico")})
    CHECK_MESSAGE(has_status(bridge.ask("GET", target, bridge.host), "404"), target);
}

TEST_CASE("nothing can be changed through the bridge, and nothing else be read") {
  Bridge bridge;
  for (const auto* path : {"metrics", "healthz", "readyz"}) CHECK_MESSAGE(has_status(bridge.get(path), "404"), path);
  for (const auto* method : {"DELETE", "PUT", "POST"}) {
    CHECK_MESSAGE(!has_status(bridge.ask(method, bridge.word + "projects/p1", bridge.host), "200"), method);
    CHECK_MESSAGE(!has_status(bridge.ask(method, bridge.word + "reload", bridge.host), "200"), method);
  }
  CHECK(bridge.ask("DELETE", bridge.word + "projects/p1", bridge.host).find("dashboard.address") != std::string::npos);
  CHECK(has_status(bridge.get("projects/p1/../p10"), "400"));
}

TEST_CASE("a name of elsewhere that leads to this address is refused") {
  Bridge bridge;
  const auto port = bridge.host.substr(bridge.host.find(':'));
  CHECK(has_status(bridge.ask("GET", bridge.word, "localhost" + port), "200"));
  for (const auto& name : {"evil.example" + port, std::string("evil.example"), std::string("127.0.0.1"),
                           "127.0.0.1:1" + port.substr(1), "localhost.evil.example" + port})
    CHECK_MESSAGE(has_status(bridge.ask("GET", bridge.word, name), "421"), name);
}
