#pragma once
// How long a project that was added lives, and what becomes of what it has when it ends. Projects of the configuration
// live as long as the configuration has them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "rules/json.hpp"

namespace podfence::rules {

/// Each does more than the one before.
enum class Teardown {
  None,   ///< all of it stays as it is
  Stop,   ///< its containers and pods are stopped, and stay
  Remove  ///< it is removed, and what the ledger has of it forgotten
};
std::string_view text(Teardown teardown);
/// nullopt: no word for one.
std::optional<Teardown> teardown_of(std::string_view text);

/// It ends when nobody has renewed it for so long.
struct Lease {
  std::int64_t seconds = 0;
  bool by_requests = true;  ///< its clients' requests and open connections renew it; else only the control plane does
};

/// It ends with what it was made for.
struct Holder {
  std::string container = {};  ///< an id or a name, as Podman knows it; "" for a process
  std::int64_t process = 0;    ///< as podfence sees it

  bool operator==(const Holder&) const = default;
};
/// "the container builder-p7", "the process 4711".
std::string text(const Holder& holder);

struct Life {
  std::optional<Lease> lease = {};
  std::optional<Holder> holder = {};
  Teardown teardown = Teardown::None;
};

// Seconds. Ten years: a point of time that far away can still be counted in nanoseconds.
inline constexpr std::int64_t shortest_lease = 10;
inline constexpr std::int64_t longest_lease = 10LL * 365 * 24 * 3600;

struct LifeError {
  std::string where;  ///< JSON pointer from the project's definition on
  std::string what;
};

/// Out of a project's definition, which has the form that the schema demands.
std::variant<Life, LifeError> read_life(const json::Value& definition);

/// Does a definition, of whatever form, name a holder?
bool is_held(const json::Value& definition);

/// The first member of a definition that is about its life: only those of projects that are added may have one.
std::optional<std::string_view> said_of_life(const json::Value& definition);

}  // namespace podfence::rules
