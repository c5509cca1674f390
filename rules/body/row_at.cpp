// Paths of rows, and the row of a place.

#include <algorithm>

#include "rules/ascii.hpp"
#include "rules/body/table.hpp"

namespace podfence::rules {

namespace {

/// How many names the path takes, nullopt where it leads elsewhere.
std::optional<std::size_t> fit(std::string_view path, std::span<const std::string> names) {
  std::size_t used = 0;
  for (; !path.empty(); ++used) {
    const std::string_view step = take_step(path);
    if (used == names.size()) return std::nullopt;
    const bool any = step == "[]" || step == "{}";
    if (!any && !ascii::equal_caseless(step, names[used])) return std::nullopt;
  }
  return used;
}

}  // namespace

std::string_view take_step(std::string_view& path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  const bool bracket = path.starts_with("[]") || path.starts_with("{}");
  const std::size_t size = bracket ? 2 : std::min(path.find_first_of(".[{"), path.size());
  const std::string_view step = path.substr(0, size);
  path.remove_prefix(size);
  return step;
}

const Row* row_at(const Table& table, std::span<const std::string> names) {
  const Row* nearest = nullptr;
  std::size_t depth = 0;
  for (const Part& part : table.parts)
    for (const Row& row : part.rows) {
      const auto used = fit(std::string(part.prefix).append(row.path), names);
      if (!used || (nearest && *used < depth)) continue;
      nearest = &row;
      depth = *used;
    }
  return nearest;
}

}  // namespace podfence::rules
