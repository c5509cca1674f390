#pragma once
// `podfence ledger`: what the record says, for people and scripts, and how it is put right by hand.

#include <string_view>

#include "proxy/command_line.hpp"

namespace podfence::proxy {

int ledger(const CommandLine& line);

/// The text of `podfence ledger help`.
std::string_view ledger_usage();

}  // namespace podfence::proxy
