// Faults of all kinds, thousands of times: afterwards there are no more descriptors, no more memory and no more
// connections than after the first few. PODFENCE_FAULT_CYCLES says how many; without it a number for every day.

#include <doctest/doctest.h>
#include <malloc.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>

#include "tests/support/eventually.hpp"
#include "tests/support/messages.hpp"
#include "tests/support/running_proxy.hpp"

using namespace podfence::testing;
using podfence::rules::Kind;

namespace {

constexpr std::size_t cycles_by_default = 2000;
/// What the heap may grow by. A leak of one small object per cycle is above.
constexpr std::size_t heap_slack = 48 * 1024;

std::size_t cycles() {
  const auto* text = std::getenv("PODFENCE_FAULT_CYCLES");
  return text == nullptr ? cycles_by_default : std::stoul(text);
}

std::size_t open_files() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

struct FaultyProxy : RunningProxy {
  std::string c1 = podman.add(Kind::Container, "c1", "p1");
  std::size_t cycle = 0;

  std::string line(const std::string& method, const std::string& verb) const {
    return method + " /v1.41/containers/" + c1 + "/" + verb;
  }
  void script_faults() {
    podman.on(line("GET", "logs"), FakePodman::says_and_closes(chunked_head + "5\r\nhel"));
    podman.on(line("GET", "top"), FakePodman::says_and_closes("HTTP/1.1 200 OK\r\nContent-Le"));
    podman.on(line("GET", "stats"), [](FakePodman::Connection& connection) { connection.reset(); });
    podman.on(line("GET", "changes"), FakePodman::says(http_answer(200, "[]") + "behind"));
    podman.on("GET /v1.41/networks", FakePodman::says_and_closes(http_answer(200, "[{]")));
    podman.on("GET /v1.41/events", [](FakePodman::Connection& connection) {
      connection.send(chunked_head + "2\r\n{}\r\n");
      connection.drain();
    });
    podman.on(line("POST", "start"), FakePodman::says_and_closes(""));
    podman.on(line("POST", "stop"), [](FakePodman::Connection& connection) {
      for (int i = 0; i < 20; ++i) connection.send("HTTP/1.1 100 Continue\r\n\r\n");
      connection.drain();
    });
    podman.on(line("POST", "attach"), [](FakePodman::Connection& connection) {
      connection.send("HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n");
      connection.echo();
    });
    podman.on(line("PUT", "archive"), [](FakePodman::Connection& connection) {
      connection.send(http_answer(500, error_content(500, "full")));
      connection.drain();
    });
  }
  void expect(const std::string& request, int status, const std::string& project = "p1") const {
    CHECK(ask(request, project).status == status);
  }
  RawClient sent(const std::string& bytes) const {
    auto new_client = client();
    new_client.send(bytes);
    return new_client;
  }
  std::string post(const std::string& verb, const std::string& fields = "\r\n") const {
    return "POST /v1.41/containers/c1/" + verb + " HTTP/1.1\r\nHost: d\r\n" + fields;
  }
};

using Fault = std::function<void(const FaultyProxy&)>;

/// Some part of a text, another one in every cycle.
std::string part(const FaultyProxy& proxy, const std::string& text) {
  return text.substr(0, proxy.cycle % text.size());
}

std::vector<Fault> faults() {
  const std::string put = "PUT /v1.41/containers/c1/archive?path=/tmp HTTP/1.1\r\nHost: d\r\n";
  const std::string attach = "attach?stream=1&stdin=1";
  return {
      [](const FaultyProxy& p) { p.expect(get("/v1.41/containers/c1/logs?stdout=true"), 200); },
      [](const FaultyProxy& p) { p.expect(get("/v1.41/containers/c1/top"), 502); },
      [](const FaultyProxy& p) { p.expect(get("/v1.41/containers/c1/stats"), 502); },
      [](const FaultyProxy& p) { p.expect(get("/v1.41/containers/c1/changes"), 200); },
      [](const FaultyProxy& p) { p.expect(get("/v1.41/networks"), 502); },
      [](const FaultyProxy& p) { p.expect(get("/v1.41/containers/c1/json"), 404, "p10"); },
      [](const FaultyProxy& p) { p.expect(p.post("start"), 502); },
      [](const FaultyProxy& p) { p.expect(p.post("stop"), 502); },
      [put](const FaultyProxy& p) {
        p.expect(put + "Transfer-Encoding: chunked\r\n\r\n" + chunk(std::string(512, 'x')), 500);
      },
      [put](const FaultyProxy& p) { p.expect(put + "Transfer-Encoding: chunked\r\n\r\nhello\r\n", 400); },
      [put](const FaultyProxy& p) { p.sent(put + part(p, "Content-Length: 20\r\n\r\nnot whole")).vanish(); },
      [](const FaultyProxy& p) { p.sent(part(p, get("/_ping"))).vanish(); },
      [](const FaultyProxy& p) { p.sent(part(p, get("/_ping"))).half_close(); },
      [](const FaultyProxy& p) { p.sent(get("/v1.41/events")).vanish(); },
      [](const FaultyProxy& p) { p.sent(get("/v1.41/events")).read_head(); },
      [attach](const FaultyProxy& p) { p.sent(p.post(attach, upgrade + "\r\n") + "early").vanish(); },
      [attach](const FaultyProxy& p) {
        auto client = p.sent(p.post(attach, upgrade + "\r\n") + "early");
        client.half_close();
        CHECK(client.read_head().status == 101);
        CHECK(client.read_to_end() == "early");
      },
      [](const FaultyProxy& p) { CHECK(p.alive()); },
  };
}

struct Use {
  std::size_t files, heap, clients;
};

/// When everything has settled: nobody is served, and of upstream's connections one is kept.
Use use_of(FaultyProxy& proxy) {
  CHECK(proxy.idle());
  proxy.podman.hang_up();
  CHECK(proxy.alive());
  CHECK(proxy.idle());
  CHECK(eventually([&] {
    proxy.podman.forget();
    return proxy.podman.connections() == 1;
  }));
  return {open_files(), ::mallinfo2().uordblks, proxy.clients()};
}

}  // namespace

TEST_CASE("no descriptor, no memory and no connection is left behind by faults, however many") {
  FaultyProxy proxy;
  proxy.script_faults();
  const auto all = faults();
  Use first{};
  const auto count = cycles(), warm = count / 4;
  for (; proxy.cycle < count; ++proxy.cycle) {
    if (proxy.cycle == warm) first = use_of(proxy);
    all[proxy.cycle % all.size()](proxy);
    if (proxy.cycle % 64 == 0) proxy.podman.forget();
  }
  const auto last = use_of(proxy);
  MESSAGE("faults: ", count, ", descriptors: ", last.files, ", heap: ", last.heap, " bytes, more than after ", warm,
          " faults: ", static_cast<long>(last.heap) - static_cast<long>(first.heap));
  CHECK(last.clients == 0);
  CHECK(last.files == first.files);
  CHECK(last.heap <= first.heap + heap_slack);
}
