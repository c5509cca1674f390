// How much memory clients can make the proxy use by asking for large answers and not reading them.
#include "proxy/buffer_budget.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "tests/support/eventually.hpp"
#include "tests/support/running_proxy.hpp"

using namespace podfence::testing;
using podfence::proxy::BufferBudget;

namespace {

constexpr std::size_t mebibyte = 1024 * 1024;
const std::string list_request = "GET /v1.41/containers/json HTTP/1.1\r\nHost: d\r\n\r\n";

/// Two items of a large size each, one of every project.
std::string large_list(std::size_t size) {
  const auto item = [&](const std::string& project, char digit) {
    return R"({"Id":")" + std::string(64, digit) + R"(","Names":["/x"],"Image":"localhost/bb:latest","Command":")" +
           std::string(size, 'x') + R"(","Labels":{"appx.project":")" + project + R"("}})";
  };
  return "[" + item("p1", '1') + "," + item("p10", '2') + "]";
}

podfence::proxy::Limits large_answers() {
  auto limits = short_limits();
  limits.answer_bytes = 8 * mebibyte;
  limits.buffered_bytes = 16 * mebibyte;
  limits.project_buffered_bytes = 9 * mebibyte;
  return limits;
}

}  // namespace

TEST_CASE("nobody takes more than there is in all, nor more than a project's part, and all is given back") {
  BufferBudget budget(100, 60);
  std::optional<BufferBudget::Share> one(std::in_place, budget, "p1");
  BufferBudget::Share other(budget, "p1");
  CHECK(one->take(60));
  CHECK_FALSE(one->take(1));
  CHECK_FALSE(other.take(1));
  BufferBudget::Share foreign(budget, "p10");
  CHECK_FALSE(foreign.take(41));
  CHECK(foreign.take(40));
  one->shrink_to(50);
  CHECK(one->bytes() == 50);
  CHECK_FALSE(other.take(11));
  CHECK(other.take(10));
  one.reset();
  CHECK(other.take(50));
}

TEST_CASE("half is shared out among the projects, so that some cannot keep all from another") {
  BufferBudget budget(120, 60);
  budget.share_out(3);  // 20 for each, and 60
  BufferBudget::Share one(budget, "p1"), two(budget, "p2"), three(budget, "p3");
  CHECK(one.take(60));
  CHECK(two.take(40));
  CHECK_FALSE(two.take(1));
  CHECK(three.take(20));
  CHECK_FALSE(three.take(1));
  one.shrink_to(50);
  CHECK(three.take(10));
  CHECK_FALSE(two.take(1));
  three.shrink_to(0);
  CHECK(two.take(10));
  CHECK(three.take(20));

  // There are fewer now, and then more: nobody loses what is held.
  budget.share_out(2);
  CHECK_FALSE(one.take(1));
  CHECK(one.bytes() == 50);
  budget.share_out(60);
  CHECK_FALSE(one.take(1));
  one.shrink_to(0);
  two.shrink_to(0);
  three.shrink_to(0);
  CHECK(one.take(60));
  CHECK_FALSE(two.take(3));
  CHECK(two.take(2));
}

TEST_CASE("clients that do not read large lists use up their project's part only, and are cut") {
  auto limits = large_answers();
  limits.send_idle_time = Milliseconds(3000);
  RunningProxy proxy(limits);
  proxy.podman.on("GET /v1.41/containers/json", FakePodman::says(http_answer(200, large_list(2 * mebibyte))));
  std::vector<RawClient> clients;
  std::vector<int> statuses;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(proxy.client());
    clients.back().send(list_request);
    statuses.push_back(clients.back().read_head().status);
  }
  // While it waits, each holds the two mebibytes that are its own; while it is read, the four that upstream sends.
  CHECK(std::ranges::count(statuses, 200) == 3);
  CHECK(std::ranges::count(statuses, 503) == 17);
  const auto other = proxy.ask(list_request, "p10");
  CHECK(other.complete());
  CHECK(other.status == 200);
  CHECK(other.content.size() > 2 * mebibyte);

  CHECK(eventually([&] {
    const auto again = proxy.ask(list_request);
    return again.complete() && again.status == 200;
  }));
  const auto cut = std::ranges::find(statuses, 200) - statuses.begin();
  CHECK_FALSE(clients[static_cast<std::size_t>(cut)].read_to_end().ends_with("]"));
}

TEST_CASE("an answer of the largest size fits into a project's part, also when it is read slowly") {
  auto limits = large_answers();
  limits.send_idle_time = Milliseconds(300);
  RunningProxy proxy(limits);
  proxy.podman.on("GET /v1.41/containers/json", FakePodman::says(http_answer(200, large_list(4 * mebibyte - 1000))));
  auto client = proxy.client();
  client.send(list_request);
  const auto head = client.read_head();
  REQUIRE(head.status == 200);
  const auto size = std::stoul(head.field("Content-Length"));
  CHECK(size > 3 * mebibyte);
  std::string content;
  // In all longer than a client may take nothing.
  for (int i = 0; i < 6; ++i) {
    std::this_thread::sleep_for(Milliseconds(100));
    content += client.read_until("no such text", Milliseconds(0));
  }
  while (content.size() < size) {
    const auto piece = client.read_until("no such text", Milliseconds(50));
    if (piece.empty()) break;
    content += piece;
  }
  CHECK(content.size() == size);
}
