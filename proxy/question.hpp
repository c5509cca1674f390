#pragma once
// One question of the rules, and what came of it.

#include <optional>

#include "proxy/services.hpp"
#include "rules/facts.hpp"

namespace podfence::proxy {

/// An answer that somebody gave; why the facts do not take it, if they do not.
std::optional<rules::Deny> learn(rules::Facts& facts, const rules::Question& question, int status,
                                 std::string_view answer, const rules::Fields& fields);

/// Upstream is asked, and the facts know the answer then; else why not. What is kept of it counts against the share.
/// Removals of other projects must not make this one's requests fail: what passes by is asked again.
Task<std::optional<rules::Deny>> ask_upstream(Services& services, rules::Facts& facts, const rules::Question& question,
                                              BufferBudget::Share& share, Waits* waits = nullptr);

}  // namespace podfence::proxy
