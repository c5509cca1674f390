// A server whose ledger an earlier podfence has left: compared with what upstream has before anything is decided by it.
#include "proxy/ledger_repair.hpp"

#include <doctest/doctest.h>

#include <array>
#include <boost/asio/post.hpp>
#include <thread>

#include "proxy/server.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/fake_podman.hpp"
#include "tests/support/messages.hpp"
#include "tests/support/raw_client.hpp"
#include "tests/support/running_proxy.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace podfence;
using namespace podfence::testing;
using rules::Claim;
using namespace std::chrono_literals;

namespace {

const std::string image(64, 'a');
const std::string name = "quay.io/p1/app:1";
const std::string ask_images = "GET /v4.0.0/libpod/images/json?all=true";
const std::string ask_secrets = "GET /v4.0.0/libpod/secrets/json";

std::string json_answer(const std::string& content) {
  return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(content.size()) +
         "\r\n\r\n" + content;
}

/// p1's image, as Podman lists it.
std::string listed() {
  return R"([{"Id":")" + image + R"(","RepoTags":[")" + name + R"("],"Labels":{"appx.project":"p1"}}])";
}

/// Its ledger says something before it starts.
class LeftServer {
 public:
  explicit LeftServer(const std::vector<Claim>& left, std::chrono::seconds grace = 600s)
      : podman(directory_.path("upstream.sock")),
        ledger_(":memory:"),
        audit_(rules::AuditSettings{directory_.path("audit.log")}),
        context_(1),
        server_(context_, proxy::connect_to_socket(directory_.path("upstream.sock")),
                {{std::make_shared<const rules::Project>(rules::Project{"p1", "appx.project", {}}),
                  directory_.path("p1/podman.sock")}},
                short_limits(), (ledger_.apply("p1", left), ledger_), audit_, directory_.path(), "appx.project",
                grace) {
    podman.on(ask_images, FakePodman::says(json_answer("[]")));
    podman.on(ask_secrets, FakePodman::says(json_answer("[]")));
  }
  ~LeftServer() { stop(); }

  void start() {
    server_.start();
    thread_ = std::thread([this] { context_.run(); });
  }
  void stop() {
    if (!thread_.joinable()) return;
    boost::asio::post(context_, [this] { server_.stop(); });
    thread_.join();
  }
  WireAnswer ask(const std::string& target) {
    return RawClient(directory_.path("p1/podman.sock")).request(get(target));
  }
  std::size_t times(const std::string& start) { return podman.requests(start).size(); }
  /// Behind stop().
  const proxy::SqliteLedger& ledger() const { return ledger_; }

 private:
  TemporaryDirectory directory_;

 public:
  FakePodman podman;

 private:
  proxy::SqliteLedger ledger_;
  proxy::AuditLog audit_;
  boost::asio::io_context context_;
  proxy::Server server_;
  std::thread thread_;
};

}  // namespace

TEST_CASE("what an earlier podfence has left is repaired before the first request is decided") {
  LeftServer server({{Claim::Change::MakeTag, name}, {Claim::Change::OwnTag, "quay.io/half:1"}});
  server.podman.on(ask_images,
                   FakePodman::says(json_answer(R"([{"Id":")" + std::string(64, 'b') +
                                                R"(","RepoTags":["quay.io/half:1"]},)" + listed().substr(1))));
  server.start();
  CHECK(server.ask("/v1.41/containers/json").status == 200);
  const auto lines = server.podman.lines();
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == ask_images + " HTTP/1.1");
  CHECK(lines[1] == ask_secrets + " HTTP/1.1");
  CHECK(server.ask("/v1.41/containers/json").status == 200);
  CHECK(server.times(ask_images) == 1);
  server.stop();
  CHECK(server.ledger().holds_image("p1", image));
  CHECK(server.ledger().owns_tag("p1", name));
  CHECK_FALSE(server.ledger().owns_tag("p1", "quay.io/half:1"));
  CHECK(server.ledger().entries()[0].way == "repair");
}

TEST_CASE("an empty ledger needs no repair, and upstream is not asked") {
  LeftServer server({});
  server.start();
  CHECK(server.ask("/v1.41/containers/json").status == 200);
  CHECK(server.times(ask_images) == 0);
}

TEST_CASE("while upstream cannot be asked nothing is decided, and later it is") {
  for (const auto& broken : {std::string("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n"),
                             json_answer("{}"), json_answer(R"([{"Id":"short"}])"), std::string("nonsense\r\n\r\n")}) {
    CAPTURE(broken);
    LeftServer server({{Claim::Change::HoldImage, image}});
    server.podman.on(ask_images, FakePodman::says_and_closes(broken));
    server.start();
    for (const auto* target : {"/v1.41/containers/json", "/_ping"}) CHECK(server.ask(target).status == 502);
    CHECK(server.times("GET /v1.41/containers") == 0);
    server.podman.on(ask_images, FakePodman::says(json_answer(listed())));
    CHECK(server.ask("/v1.41/containers/json").status == 200);
    server.stop();
    CHECK(server.ledger().holds_image("p1", image));
  }
}

TEST_CASE("many first requests wait for one comparison") {
  LeftServer server({{Claim::Change::HoldImage, image}});
  Gate gate;
  server.podman.on(ask_images, [&](FakePodman::Connection& connection) {
    connection.read_content();
    connection.wait(gate);
    connection.send(json_answer(listed()));
  });
  server.start();
  std::vector<std::thread> clients;
  std::array<int, 8> statuses{};
  for (auto& status : statuses) clients.emplace_back([&] { status = server.ask("/v1.41/containers/json").status; });
  CHECK(server.podman.saw(ask_images));
  std::this_thread::sleep_for(50ms);
  CHECK(server.times("GET /v1.41/containers") == 0);
  gate.open();
  for (auto& client : clients) client.join();
  for (const int status : statuses) CHECK(status == 200);
  CHECK(server.times(ask_images) == 1);
}

TEST_CASE("what Podman was still at work on is looked at once more") {
  LeftServer server({{Claim::Change::MakeTag, name}, {Claim::Change::MakeTag, "quay.io/never:1"}}, 1s);
  server.start();
  CHECK(server.ask("/v1.41/containers/json").status == 200);
  server.podman.on(ask_images, FakePodman::says(json_answer(listed())));
  CHECK(eventually([&] { return server.times(ask_secrets) == 2; }, 10s));
  CHECK(server.ask("/v1.41/containers/json").status == 200);
  server.stop();
  CHECK(server.ledger().owns_tag("p1", name));
  CHECK_FALSE(server.ledger().owns_tag("p1", "quay.io/never:1"));
}

TEST_CASE("a server ends while it waits for the second look, and while it waits for the first") {
  LeftServer waits({{Claim::Change::HoldImage, image}});
  waits.start();
  CHECK(waits.ask("/v1.41/containers/json").status == 200);
  waits.stop();
  LeftServer asks({{Claim::Change::HoldImage, image}});
  Gate gate;
  asks.podman.on(ask_images, FakePodman::answers_behind(gate));
  asks.start();
  CHECK(asks.podman.saw(ask_images));
  asks.stop();
  gate.open();
}
