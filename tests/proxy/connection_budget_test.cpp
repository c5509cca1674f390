#include "proxy/connection_budget.hpp"

#include <doctest/doctest.h>

#include <vector>

using podfence::proxy::ConnectionBudget;
using Full = ConnectionBudget::Full;
using Places = std::vector<ConnectionBudget::Place>;

namespace {

/// As many as there are; what then was full.
Full fill(ConnectionBudget& budget, const std::string& project, Places& places) {
  while (true) {
    auto place = budget.take(project);
    if (const auto* full = std::get_if<Full>(&place)) return *full;
    places.push_back(std::get<ConnectionBudget::Place>(std::move(place)));
  }
}

}  // namespace

TEST_CASE("a project has as many connections as it may, and a freed place is given again") {
  ConnectionBudget budget(100, 10, 2);
  Places places;
  CHECK(fill(budget, "p1", places) == Full::Project);
  CHECK(places.size() == 10);
  places.pop_back();
  CHECK(fill(budget, "p1", places) == Full::Project);
  CHECK(places.size() == 10);
}

TEST_CASE("projects that take all they can leave another its share") {
  // 4 projects: half of 80 is shared out, 10 for each; the other 40 are for who comes first.
  ConnectionBudget budget(80, 40, 4);
  Places first, second, third, fourth;
  CHECK(fill(budget, "p1", first) == Full::Project);
  CHECK(first.size() == 40);
  CHECK(fill(budget, "p2", second) == Full::All);
  CHECK(second.size() == 20);
  CHECK(fill(budget, "p3", third) == Full::All);
  CHECK(third.size() == 10);
  CHECK(fill(budget, "p4", fourth) == Full::All);
  CHECK(fourth.size() == 10);
  first.pop_back();
  CHECK(fill(budget, "p4", fourth) == Full::All);
  CHECK(fourth.size() == 11);
  fourth.clear();
  CHECK(fill(budget, "p3", third) == Full::All);
  CHECK(third.size() == 11);  // what is the fourth's own stays free
}

TEST_CASE("there are never more than all places, whatever the numbers") {
  for (const std::size_t projects : {1u, 2u, 3u, 7u, 100u})
    for (const std::size_t in_all : {1u, 2u, 5u, 64u, 99u}) {
      CAPTURE(projects);
      CAPTURE(in_all);
      ConnectionBudget budget(in_all, 1000, projects);
      Places places;
      for (std::size_t i = 0; i < projects; ++i) fill(budget, "p" + std::to_string(i), places);
      CHECK(places.size() == in_all);
    }
}

TEST_CASE("open files have room for connections and requests, and the other way round") {
  using namespace podfence::proxy;
  const auto room = [](std::uint64_t files, Room wanted, std::size_t projects) {
    const auto found = room_within(files, wanted, projects);
    return std::pair(found.connections, found.requests);
  };
  for (const std::size_t projects : {1u, 50u})
    for (const Room wanted : {Room{16, 8}, Room{4096, 2048}}) {
      const auto files = open_files_for(wanted, projects);
      CHECK(room(files, wanted, projects) == std::pair(wanted.connections, wanted.requests));
      const auto less = room_within(files - 1, wanted, projects);
      CHECK(open_files_for(less, projects) <= files - 1);
      CHECK(less.connections + less.requests < wanted.connections + wanted.requests);
    }
  CHECK(room(400 + open_files_for({}, 1), {4096, 2048}, 1) == std::pair<std::size_t, std::size_t>(200, 100));
  CHECK(room(open_files_for({}, 1), {4096, 2048}, 1) == std::pair<std::size_t, std::size_t>(0, 0));
  CHECK(room(0, {4096, 2048}, 1) == std::pair<std::size_t, std::size_t>(0, 0));
  // No more requests than connections.
  CHECK(room(1u << 20, {100, 2048}, 1) == std::pair<std::size_t, std::size_t>(100, 100));
}
