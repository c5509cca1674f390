#pragma once
// Where the bodies say what a Description holds: the paths of their members.

#include <span>
#include <string>
#include <string_view>

#include "rules/body.hpp"
#include "rules/policy.hpp"

namespace podfence::rules {

enum class AmountRole {
  Written,  ///< the limit; a default is written here
  Limit,    ///< another place for the limit
  Like,     ///< one of its own kind, bounded as the limit is
  Aside,    ///< never more than the limit, and no limit itself
};

struct AmountWord {
  Amount amount;
  std::string_view path;
  AmountRole role = AmountRole::Aside;
  std::int64_t share = 1;
};

/// The kernel's way to limit processors: microseconds of time (quota) in every period.
struct QuotaWord {
  std::string_view quota, period;
  AmountRole role = AmountRole::Limit;
};

/// "" is: the body has no such member.
struct Words {
  Body body;
  std::span<const AmountWord> amounts;
  std::span<const QuotaWord> quotas;
  std::string_view health_test;
  std::string_view restart_policy;
  std::string_view ulimits, ulimit_name, ulimit_soft, ulimit_hard;
  std::string_view pod;
  std::string_view hostname, uts;
  std::string_view dropped_capabilities;
  std::string_view read_only_root;
  std::string_view environment;
  std::string_view publish_exposed;
};

/// nullptr for the bodies that describe no container and no pod.
const Words* words_of(Body body);

/// In lower case, without libpod's "rlimit_".
std::string ulimit_name(std::string_view text);

}  // namespace podfence::rules
