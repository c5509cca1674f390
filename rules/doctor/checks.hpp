#pragma once
// The checks of `podfence doctor`: each is a function of what was seen. docs/verify.md has them as a table.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/doctor/facts.hpp"

namespace podfence::rules::doctor {

enum class Level { Ok, Warn, Fail };

struct Finding {
  Level level = Level::Ok;
  std::string what;       ///< a sentence
  std::string mend = {};  ///< the command or the step that mends it; "" for Ok
};

struct Check {
  std::string_view subject;  ///< "cgroups"
  std::vector<Finding> (*find)(const HostFacts& facts);
};
std::span<const Check> checks();

struct Line {
  std::string_view subject;
  Finding finding;
};
std::vector<Line> examine(const HostFacts& facts);

bool has_failed(const std::vector<Line>& lines);
std::string text_of(const std::vector<Line>& lines);
std::string json_of(const std::vector<Line>& lines);

}  // namespace podfence::rules::doctor
