#pragma once
// How Podman says that something is not there, or not any more.

#include <string_view>

#include "rules/decision.hpp"

namespace podfence::rules {

/// An object that is absent. Podman answers 500 for a prefix that fits several objects, some of which may be foreign,
/// and for an object that goes while it is looked at: both count as absent.
bool says_absent(int status, std::string_view content);

/// Did the answer fail because somebody was removing something at that moment? Then it can be asked for again at once.
bool passes_by(const Question& question, int status, std::string_view content);

/// Likewise of an answer that tells of all objects there are, of any kind.
bool list_passes_by(int status, std::string_view content);

}  // namespace podfence::rules
