#pragma once
// A container that is to be made or changed, in the words of neither API family. Both families' contents are read into
// a Description (describe.cpp), one set of rules says what has to become of it (settle.hpp), and that is written back
// in the family's own words (apply.cpp). Pods are described likewise: what they say of networks, ports and limits.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/body.hpp"
#include "rules/json.hpp"
#include "rules/policy.hpp"

namespace podfence::rules {

/// A number that the content names.
struct SaidAmount {
  Amount amount;
  std::int64_t value;
  std::string_view path;   ///< for the refusal
  bool is_limit;           ///< and not something beside it, which is bounded by the same limit
  std::int64_t share = 1;  ///< how many times the limit it may be: swap counts the memory as well
  bool has_least = true;   ///< and may not be less than the limit may
};

/// The one address of the host that ports are published on.
inline constexpr std::string_view loopback_address = "127.0.0.1";

struct PublishedPort {
  std::int64_t container = 0;
  std::int64_t host = 0;   ///< 0: any that is free
  std::int64_t count = 1;  ///< neighbouring ports from there
  std::string protocol = "tcp";
};

enum class NetworkUse {
  Unsaid,   ///< the default, whatever it is
  Private,  ///< one without other containers
  Named,    ///< networks of the project
  Other,    ///< none at all, or that of another container or of the pod
};

struct Description {
  std::vector<SaidAmount> amounts;
  bool checks_health = false;
  bool restarts_on_failure = false;
  std::vector<std::string> ulimits;               ///< names that have one, in lower case
  std::string pod;                                ///< full id, "" for none
  std::vector<std::string> dropped_capabilities;  ///< in lower case without `cap_`
  bool forbids_new_privileges = false;
  std::vector<std::string> environment;  ///< names that are set
  NetworkUse network = NetworkUse::Unsaid;
  std::vector<PublishedPort> ports;
  std::vector<PublishedPort> exposed;  ///< by the content; images expose ports as well
  bool publish_exposed = false;
};

/// What is to be written into the content.
struct Changes {
  std::vector<std::pair<Amount, std::int64_t>> amounts;
  std::vector<std::pair<std::string_view, std::int64_t>> clamped;  ///< a SaidAmount's path, and what it has to be
  std::vector<std::string> dropped_capabilities;
  bool no_new_privileges = false;
  bool read_only_root = false;
  std::string user_namespace;  ///< "" for none
  std::vector<std::pair<std::string, std::string>> environment;
  NetworkUse network = NetworkUse::Other;           ///< never Unsaid
  std::vector<std::string> networks;                ///< joined besides those that are named
  std::optional<std::vector<PublishedPort>> ports;  ///< instead of those of the description
};

/// `80`, `80/tcp`, `80/udp`; nothing where that is no port.
std::optional<PublishedPort> parse_port_key(std::string_view key);
bool is_protocol(std::string_view text);
/// How many neighbouring ports an item of libpod's lists stands for.
std::int64_t range_of(const json::Value& mapping);

/// `content` is a judged content of a container create or update, or of a pod create.
Description describe(Body body, const json::Value& content);
void apply(const Changes& changes, Body body, json::Value& content);

/// What the container is limited to; nullopt: not said.
std::optional<std::int64_t> amount_of(const Description& description, Amount amount);

}  // namespace podfence::rules
