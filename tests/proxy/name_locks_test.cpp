#include "proxy/name_locks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <string>

#include "proxy/task_group.hpp"

using namespace podfence::proxy;

namespace {

LockedNames turn(std::set<std::string> names = {}) { return {std::move(names), false, "p1", false}; }
LockedNames alone(std::set<std::string> names = {}) { return {std::move(names), false, "p1", true}; }

struct World {
  boost::asio::io_context context{1};
  NameLocks locks{context.get_executor()};
  TaskGroup tasks{context.get_executor()};
  std::string log;  ///< letters of those who got their names, in lower case when they gave them back

  std::chrono::milliseconds patience{10'000}, turn_patience{};

  Task<void> hold(char who, LockedNames names, std::chrono::milliseconds time) {
    const auto held = co_await locks.acquire(std::move(names), patience, turn_patience);
    log += held ? who : '-';
    if (!held) co_return;
    boost::asio::steady_timer timer(context, time);
    co_await timer.async_wait(as_task);
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

TEST_CASE("many requests of one project for a name do not keep another project from it") {
  World world;
  const auto of = [](std::string account) {
    LockedNames names;
    names.names.insert("v");
    names.account = std::move(account);
    return names;
  };
  for (const char who : {'A', 'B', 'C', 'D'}) world.spawn(who, of("p1"));
  for (const char who : {'X', 'Y'}) world.spawn(who, of("p10"));
  world.spawn('M', of("p2"));
  world.context.run();
  CHECK(world.log == "AaXxMmBbYyCcDd");
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
    const LockedNames all{{}, true};  // named: g++ 12 destroys a braced temporary of a co_await expression twice
    auto held = co_await world.locks.acquire(all, world.patience);
    REQUIRE(held);
    world.spawn('B', {{"v"}, false}, 5);
    world.spawn('C', {{"w"}, false}, 5);
    boost::asio::steady_timer timer(world.context, std::chrono::milliseconds(5));
    co_await timer.async_wait(as_task);
    world.log += '!';
    held->narrow({"v"});
    timer.expires_after(std::chrono::milliseconds(30));
    co_await timer.async_wait(as_task);
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

TEST_CASE("those who add go together, and who counts is alone") {
  World world;
  world.spawn('A', turn(), 300);
  world.spawn('B', turn(), 5);
  world.spawn('C', alone(), 10);
  world.spawn('D', turn());
  world.context.run();
  CHECK(world.log == "ABbaCcDd");
}

TEST_CASE("another project's turn is another one, and names have nothing to do with it") {
  World world;
  world.spawn('A', alone(), 300);
  world.spawn('B', {{}, false, "p10", true}, 5);
  world.spawn('C', {{"v"}, false}, 5);
  world.spawn('D', {{}, true}, 5);
  world.context.run();
  CHECK(world.log == "ABCbcDda");
}

TEST_CASE("who has counted lets the others add while it does so itself") {
  World world;
  const auto counting = [&]() -> Task<void> {
    const LockedNames wanted = alone();
    auto held = co_await world.locks.acquire(wanted, world.patience);
    REQUIRE(held);
    world.spawn('B', turn(), 5);
    world.spawn('C', alone(), 5);
    world.spawn('D', turn(), 5);
    boost::asio::steady_timer timer(world.context, std::chrono::milliseconds(5));
    co_await timer.async_wait(as_task);
    world.log += '!';
    held->share();
    timer.expires_after(std::chrono::milliseconds(30));
    co_await timer.async_wait(as_task);
    world.log += '.';
  };
  world.tasks.spawn(counting());
  world.context.run();
  CHECK(world.log == "!Bb.CcDd");
}

TEST_CASE("a name that another project keeps busy does not hold up the rest of the project") {
  World world;
  world.spawn('A', {{"v"}, false, "p10", false}, 300);
  world.spawn('B', alone({"v"}), 5);
  world.spawn('C', turn({"w"}), 5);
  world.spawn('D', alone(), 5);
  world.spawn('E', {{"v"}, false, "p10", false}, 5);
  world.context.run();
  CHECK(world.log == "ACcDdaBbEe");  // and B is not overtaken by E
}

TEST_CASE("of those who wait for their project's turn only the first keeps names from others") {
  World world;
  world.spawn('A', turn(), 300);
  world.spawn('B', alone({"v"}), 5);
  world.spawn('C', alone({"w"}), 5);
  world.spawn('D', {{"w"}, false, "p10", false}, 5);
  world.spawn('E', {{"v"}, false, "p10", false}, 5);
  world.context.run();
  CHECK(world.log == "ADdaBbCEce");
}

TEST_CASE("waiting for a turn may take longer than waiting for names") {
  World world;
  world.patience = std::chrono::milliseconds(20);
  world.turn_patience = std::chrono::milliseconds(10'000);
  world.spawn('A', turn({"v"}), 200);
  world.spawn('B', alone(), 5);
  world.spawn('C', turn(), 5);
  world.spawn('D', {{"v"}, false}, 5);
  world.context.run();
  CHECK(world.log == "A-aBbCc");
}
