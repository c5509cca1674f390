#pragma once
// What people, and with --json programs, read of a run of `podfence verify`.

#include <string>
#include <vector>

#include "rules/verify/judge.hpp"

namespace podfence::rules::verify {

struct Outcome {
  const Probe* probe = nullptr;
  std::string tried;
  Verdict verdict;
};

struct Report {
  std::string project, socket, run;
  std::vector<Outcome> outcomes = {};
  std::vector<std::string> left = {};  ///< what could not be removed again, and why
  std::string broken_off = {};         ///< why it ended before the last probe

  std::size_t count(Verdict::Result result) const;
};

std::string_view word_of(Verdict::Result result);
/// Lines, each with its end.
std::string text_of(const Outcome& outcome);
/// The end: numbers, and what is to be done at once.
std::string summary(const Report& report);
std::string json_of(const Report& report);

}  // namespace podfence::rules::verify
