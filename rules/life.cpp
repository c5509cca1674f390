#include "rules/life.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "rules/amount.hpp"

namespace podfence::rules {

namespace {

constexpr auto members = std::to_array<std::string_view>({"lease", "holder", "teardown"});

constexpr auto teardowns = std::to_array<std::pair<Teardown, std::string_view>>({
    {Teardown::None, "none"},
    {Teardown::Stop, "stop"},
    {Teardown::Remove, "remove"},
});

}  // namespace

std::string_view text(Teardown teardown) {
  return std::ranges::find(teardowns, teardown, &decltype(teardowns)::value_type::first)->second;
}

std::optional<Teardown> teardown_of(std::string_view text) {
  const auto found = std::ranges::find(teardowns, text, &decltype(teardowns)::value_type::second);
  if (found == teardowns.end()) return std::nullopt;
  return found->first;
}

std::string text(const Holder& holder) {
  return holder.container.empty() ? "the process " + std::to_string(holder.process)
                                  : "the container " + holder.container;
}

std::variant<Life, LifeError> read_life(const json::Value& definition) {
  Life life;
  if (const auto* lease = definition.find("lease")) {
    const auto seconds = parse_amount(Unit::Seconds, *lease->find("time"));
    if (!seconds || *seconds < shortest_lease || *seconds > longest_lease)
      return LifeError{"/lease/time", "must be a duration of at least " + std::to_string(shortest_lease) +
                                          "s and at most " + std::to_string(longest_lease / 3600) + "h"};
    life.lease = {*seconds, lease->text("renewed_by") != "control"};
  }
  if (const auto* holder = definition.find("holder")) {
    const Holder said{std::string(holder->text("container")), holder->int64("process").value_or(0)};
    if (said.container.empty() == (said.process == 0))
      return LifeError{"/holder", "must have either container or process"};
    life.holder = said;
  }
  life.teardown = teardown_of(definition.text("teardown")).value_or(Teardown::None);
  return life;
}

bool is_held(const json::Value& definition) { return definition.find("holder") != nullptr; }

std::optional<std::string_view> said_of_life(const json::Value& definition) {
  const auto found = std::ranges::find_if(members, [&](auto name) { return definition.find(name) != nullptr; });
  if (found == members.end()) return std::nullopt;
  return *found;
}

}  // namespace podfence::rules
