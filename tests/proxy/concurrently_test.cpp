// Several things at once: how they end, and what ends with them.

#include "proxy/concurrently.hpp"

#include <doctest/doctest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <exception>
#include <new>
#include <variant>

using namespace podfence::proxy;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

/// Things that were begun and have not ended.
int running = 0;

struct Running {
  Running() { ++running; }
  ~Running() { --running; }
};

Task<> waits(std::chrono::milliseconds time) {
  const Running here;
  asio::steady_timer timer(co_await asio::this_coro::executor, time);
  co_await timer.async_wait(as_task);
}

Task<> throws_after(std::chrono::milliseconds time) {
  const Running here;
  asio::steady_timer timer(co_await asio::this_coro::executor, time);
  co_await timer.async_wait(as_task);
  throw std::bad_alloc();
}

/// What it gave, or the exception that it ended with.
template <typename Result>
std::variant<Result, std::exception_ptr> run(Task<Result> task) {
  asio::io_context context(1);
  std::variant<Result, std::exception_ptr> outcome;
  asio::co_spawn(context, std::move(task), [&](std::exception_ptr thrown, Result result) {
    if (thrown)
      outcome = thrown;
    else
      outcome = result;
  });
  context.run_for(5s);
  CHECK(context.stopped());
  CHECK(running == 0);
  return outcome;
}

Task<bool> throws_bad_alloc(Task<std::size_t> task) {
  bool thrown = false;
  try {
    co_await std::move(task);
  } catch (const std::bad_alloc&) {
    thrown = true;
  }
  co_return thrown;
}

Task<bool> both_throw_bad_alloc(Task<> first, Task<> second) {
  bool thrown = false;
  try {
    co_await both(std::move(first), std::move(second));
  } catch (const std::bad_alloc&) {
    thrown = true;
  }
  co_return thrown;
}

}  // namespace

TEST_CASE("the first that ends ends the others, and is told") {
  CHECK(std::get<0>(run(first_of(waits(1ms), waits(1h)))) == 0);
  CHECK(std::get<0>(run(first_of(waits(1h), waits(1ms)))) == 1);
  CHECK(std::get<0>(run(first_of(waits(1h), waits(1ms), waits(1h)))) == 1);
  CHECK(std::get<0>(run(first_of(waits(1h), waits(1h), waits(1ms)))) == 2);
}

TEST_CASE("one that throws ends the others as well: nobody waits for what cannot come any more") {
  CHECK(std::get<0>(run(throws_bad_alloc(first_of(throws_after(1ms), waits(1h))))));
  CHECK(std::get<0>(run(throws_bad_alloc(first_of(waits(1h), throws_after(1ms))))));
  CHECK(std::get<0>(run(throws_bad_alloc(first_of(waits(1h), throws_after(0ms), waits(1h))))));
  CHECK(std::get<0>(run(throws_bad_alloc(first_of(waits(1h), waits(1h), throws_after(0ms))))));
  CHECK(std::get<0>(run(both_throw_bad_alloc(throws_after(1ms), waits(1h)))));
  CHECK(std::get<0>(run(both_throw_bad_alloc(waits(1h), throws_after(1ms)))));
  CHECK(std::get<0>(run(both_throw_bad_alloc(throws_after(1ms), throws_after(1ms)))));
}

TEST_CASE("what one throws when another has ended first is of no interest") {
  CHECK(std::get<0>(run(first_of(waits(0ms), throws_after(1ms)))) == 0);
}
