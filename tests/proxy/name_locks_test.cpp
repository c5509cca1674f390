#include "proxy/name_locks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <string>

#include "proxy/task_group.hpp"

using namespace podfence::proxy;

namespace {

struct World {
  boost::asio::io_context context{1};
  NameLocks locks{context.get_executor()};
  TaskGroup tasks{context.get_executor()};
  std::string log;  ///< letters of those who got their names, in lower case when they gave them back

  std::chrono::milliseconds patience{10'000};

  Task<void> hold(char who, LockedNames names, std::chrono::milliseconds time) {
    const auto held = co_await locks.acquire(std::move(names), patience);
    log += held ? who : '-';
    if (!held) co_return;
    boost::asio::steady_timer timer(context, time);
    co_await timer.async_wait(boost::asio::use_awaitable);
    log += static_cast<char>(who - 'A' + 'a');
  }

  void spawn(char who, LockedNames names, int milliseconds = 5) {
    tasks.spawn(hold(who, std::move(names), std::chrono::milliseconds(milliseconds)));
  }
};

}  // namespace

TEST_CASE("a name is held by one at a time, in order of arrival") {
  World world;
  for (const char who : {'A', 'B', 'C'}) world.spawn(who, {{"v"}, false});
  world.context.run();
  CHECK(world.log == "AaBbCc");
}

TEST_CASE("different names do not wait for each other") {
  World world;
  world.spawn('A', {{"v"}, false}, 20);
  world.spawn('B', {{"w"}, false}, 5);
  world.context.run();
  CHECK(world.log == "ABba");
}

TEST_CASE("who wants several names takes all at once, and is not overtaken") {
  World world;
  world.spawn('A', {{"v"}, false}, 10);
  world.spawn('B', {{"v", "w"}, false}, 5);
  world.spawn('C', {{"w"}, false}, 5);
  world.context.run();
  CHECK(world.log == "AaBbCc");
}

TEST_CASE("all names conflict with every name") {
  World world;
  world.spawn('A', {{"v"}, false});
  world.spawn('B', {{}, true});
  world.spawn('C', {{"v"}, false});
  world.context.run();
  CHECK(world.log == "AaBbCc");
}

TEST_CASE("who is cancelled while waiting leaves the queue") {
  World world;
  TaskGroup others(world.context.get_executor());
  world.spawn('A', {{"v"}, false}, 20);
  others.spawn(world.hold('B', {{"v"}, false}, std::chrono::milliseconds(5)));
  world.spawn('C', {{"v"}, false});
  world.context.poll();
  others.cancel();
  world.context.run();
  CHECK(world.log == "AaCc");
}

TEST_CASE("nobody queues behind a request for all names that waits") {
  World world;
  world.spawn('A', {{"v"}, false}, 20);
  world.spawn('B', {{}, true});
  world.spawn('C', {{"w"}, false}, 10);
  world.context.run();
  CHECK(world.log == "ACcaBb");
}

TEST_CASE("nobody gets a name while all are held, and then everybody in order of arrival") {
  World world;
  world.spawn('A', {{}, true}, 10);
  world.spawn('B', {{}, true});
  world.spawn('C', {{"v"}, false});
  world.context.run();
  CHECK(world.log == "AaBbCc");
}

TEST_CASE("who finds out which of all names it needs lets the others go on") {
  World world;
  const auto narrowing = [&]() -> Task<void> {
    auto held = co_await world.locks.acquire({{}, true}, world.patience);
    REQUIRE(held);
    world.spawn('B', {{"v"}, false}, 5);
    world.spawn('C', {{"w"}, false}, 5);
    boost::asio::steady_timer timer(world.context, std::chrono::milliseconds(5));
    co_await timer.async_wait(boost::asio::use_awaitable);
    world.log += '!';
    held->narrow({"v"});
    timer.expires_after(std::chrono::milliseconds(30));
    co_await timer.async_wait(boost::asio::use_awaitable);
  };
  world.tasks.spawn(narrowing());
  world.context.run();
  CHECK(world.log == "!CcBb");
}

TEST_CASE("waiting has an end, and those behind go on") {
  World world;
  world.patience = std::chrono::milliseconds(30);
  world.spawn('A', {{"v"}, false}, 100);
  world.spawn('B', {{"v", "w"}, false});
  world.spawn('C', {{"w"}, false});
  world.context.run();
  CHECK(std::ranges::count(world.log, '-') == 1);
  CHECK(world.log.find('B') == std::string::npos);
  CHECK(world.log.find('C') != std::string::npos);
}
