// Clients of a control plane over TLS that do not read: what podfence keeps for them has an end in time.

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <filesystem>
#include <list>

#include "tests/support/eventually.hpp"
#include "tests/support/messages.hpp"
#include "tests/support/running_operator.hpp"
#include "tests/support/tls_client.hpp"

using namespace podfence;
using namespace podfence::testing;

namespace {

/// Of podfence and of its clients, which are one process. Connections to the fake Podman are none, and may be kept.
std::size_t tcp_sockets() {
  std::size_t found = 0;
  for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) {
    int family = 0;
    socklen_t size = sizeof family;
    const int number = std::stoi(file.path().filename().string());
    found += ::getsockopt(number, SOL_SOCKET, SO_DOMAIN, &family, &size) == 0 && family == AF_INET;
  }
  return found;
}

/// A connection that says nothing.
Socket silent_connection(std::uint16_t port) {
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::connect(socket.file(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  return socket;
}

struct TlsControlPlane {
  TlsControlPlane() : certificate(directory.path("own")), port(free_port()) {
    write_certificate(certificate, "agent.example");
    podfence.emplace(R"({"projects": {"p1": {}}, "control": [{"tls": "127.0.0.1:)" + std::to_string(port) +
                     R"(", "certificate": ")" + certificate + R"(.pem", "key": ")" + certificate +
                     R"(.key", "clients": ")" + certificate +
                     R"(.pem", "identities": [{"dns": "agent.example", "projects": ["p1"]}]}]})");
    c1 = podfence->podman.add(rules::Kind::Container, "c1", "p1");
  }
  TlsClient client() const { return TlsClient(port, certificate); }
  void logs(FakePodman::Script script) {
    podfence->podman.on("GET /v1.41/containers/" + c1 + "/logs", std::move(script));
  }

  TemporaryDirectory directory;
  std::string certificate;
  std::uint16_t port;
  std::optional<RunningOperator> podfence;
  std::string c1;
};

const std::string logs_over_tls = "GET /v1.41/containers/c1/logs?stdout=true HTTP/1.1\r\nHost: d\r\n";

}  // namespace

TEST_CASE("clients over TLS that read nothing leave no descriptors behind when they are cut off") {
  TlsControlPlane control;
  control.logs([](FakePodman::Connection& connection) {
    connection.send(chunked_head);
    for (int i = 0; i < 4096; ++i) connection.send(chunk(std::string(8000, 'x')));
  });
  const auto before = tcp_sockets();
  constexpr std::size_t count = 8;
  std::list<TlsClient> clients;
  for (std::size_t i = 0; i < count; ++i) {
    clients.push_back(control.client());
    clients.back().send(logs_over_tls + "\r\n");
  }
  CHECK(eventually([&] { return control.podfence->podman.requests("GET /v1.41/containers/").size() >= count; }));
  CHECK(tcp_sockets() == before + 2 * count);
  // The clients' own are left.
  CHECK(eventually([&] { return tcp_sockets() == before + count; }, 4 * patience));
  CHECK(clients.front().read_to_end().ends_with("<cut>"));
}

TEST_CASE("connections without a certificate keep no control plane out, however many wait") {
  TlsControlPlane control;
  control.logs(FakePodman::says(http_answer(200, "said", "text/plain")));
  std::list<Socket> silent;
  for (int i = 0; i < 200; ++i) silent.push_back(silent_connection(control.port));
  for (int i = 0; i < 3; ++i) {
    auto client = control.client();
    client.send(logs_over_tls + "Connection: close\r\n\r\n");
    CHECK(client.read_to_end().ends_with("said"));
  }
}

TEST_CASE("what was said last is given to a client over TLS that takes its time") {
  TlsControlPlane control;
  const std::string content(16 * 1024 * 1024, 'x');  // more than the kernel keeps on the way
  control.logs(FakePodman::says(http_answer(200, content, "text/plain")));
  auto client = control.client();
  client.send(logs_over_tls + "Connection: close\r\n\r\n");
  std::this_thread::sleep_for(Milliseconds(400));
  CHECK(client.read_to_end().ends_with("\r\n\r\n" + content));
}
