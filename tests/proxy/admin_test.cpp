// The operator's socket.

#include "proxy/admin.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <thread>

#include "tests/support/running_operator.hpp"

using namespace podfence;
using namespace podfence::proxy;
using testing::RunningOperator;

namespace {

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("health and metrics are read on the operator's socket, and nothing else") {
  RunningOperator admin;
  const auto health = admin.request("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(health.status == 200);
  CHECK(health.content == "ok\n");
  const auto metrics = admin.request("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(metrics.status == 200);
  CHECK(metrics.field("Content-Type") == "text/plain; version=0.0.4; charset=utf-8");
  CHECK(has_line(metrics.content, R"(podfence_build_info{version="1.2.3"} 1)"));
  CHECK(admin.request("HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n").status == 200);
  CHECK(admin.request("GET /containers/json HTTP/1.1\r\nHost: x\r\n\r\n").status == 404);
  CHECK(admin.request("POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n").status == 405);
  CHECK(admin.request("GET /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: x\r\n\r\n").status == 400);
}

TEST_CASE("a connection to the operator's socket serves one request after the other") {
  RunningOperator admin;
  testing::RawClient client(admin.path);
  for (int i = 0; i < 3; ++i) CHECK(client.request("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").content == "ok\n");
}

TEST_CASE("the operator's socket is its user's alone") {
  RunningOperator admin;
  struct stat status {};
  REQUIRE(stat(admin.path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}
