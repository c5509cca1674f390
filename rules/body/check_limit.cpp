// Limits that are more than one number.

#include <algorithm>
#include <array>

#include "rules/ascii.hpp"
#include "rules/body/checks.hpp"
#include "rules/body/refuse.hpp"
#include "rules/container/settle.hpp"
#include "rules/container/words.hpp"
#include "rules/exchange.hpp"
#include "rules/out_of_bounds.hpp"

namespace podfence::rules {

namespace {

struct ResourceLimit {
  std::string_view name;
  std::int64_t most;                  ///< -1: may be unlimited
  std::optional<Amount> amount = {};  ///< policy has a word in it
};
constexpr auto resource_limits = std::to_array<ResourceLimit>({
    {"nofile", 1'048'576, Amount::OpenFiles},
    {"nproc", 65'536, Amount::UserProcesses},
    {"core", gibi},
    {"memlock", gibi},
    {"msgqueue", 64 * mebi},
    {"sigpending", 131'072},
    {"locks", 65'536},
    {"nice", 20},   // no better than what everybody has
    {"rtprio", 0},  // real-time scheduling starves the host
    {"as", -1},
    {"cpu", -1},
    {"data", -1},
    {"fsize", -1},
    {"rss", -1},
    {"rttime", -1},
    {"stack", -1},
});

const ResourceLimit* limit_of(std::string_view name) {
  const auto found = std::ranges::find(resource_limits, ulimit_name(name), &ResourceLimit::name);
  return found == resource_limits.end() ? nullptr : &*found;
}

/// Both families count unlimited as all bits set: -1 in compat, 2^64-1 in libpod. An absent number is zero, as for Go.
std::optional<std::uint64_t> amount(const json::Value& limit, std::string_view compat, std::string_view libpod) {
  const json::Value* value = limit.find(compat);
  if (!value) value = limit.find(libpod);
  if (!value) return 0;
  if (const auto number = value->int64()) return static_cast<std::uint64_t>(*number);
  return value->uint64();
}

}  // namespace

std::optional<Deny> judge_ulimit(json::Value& value, const Place& place) {
  std::string_view name = value.text("Name");
  if (name.empty()) name = value.text("type");
  const ResourceLimit* limit = limit_of(name);
  const auto hard = amount(value, "Hard", "hard"), soft = amount(value, "Soft", "soft");
  if (!limit || !hard || !soft || *soft > *hard) return refuse(refusal("field.value"), place.path);
  if (*hard > static_cast<std::uint64_t>(limit->most))
    return out_of_bounds(name, std::to_string(*hard), "most", std::to_string(limit->most));
  if (!limit->amount) return std::nullopt;
  return settle_amount({*limit->amount, static_cast<std::int64_t>(*hard), limit->name, true},
                       place.exchange.project.policy);
}

std::optional<Deny> judge_cpu_set(json::Value& value, const Place& place) {
  const bool clean = value.string()->find_first_not_of("0123456789,-") == std::string::npos;
  return clean ? std::nullopt : refuse(refusal("field.value"), place.path);
}

}  // namespace podfence::rules
