#include "proxy/name_locks.hpp"

#include <doctest/doctest.h>

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

  Task<void> hold(char who, LockedNames names, std::chrono::milliseconds time) {
    const auto held = co_await locks.acquire(std::move(names));
    log += who;
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
  world.spawn('C', {{"x"}, false});
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
