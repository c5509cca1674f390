#include "rules/verify/report.hpp"

#include <algorithm>

#include "rules/escaped.hpp"
#include "rules/json.hpp"

namespace podfence::rules::verify {

namespace {

using json::Value;
using Result = Verdict::Result;

constexpr std::size_t family_width = 10;

Value member(const Outcome& outcome) {
  auto value = Value::object();
  value.set("family", outcome.probe->family);
  value.set("what", outcome.probe->what);
  value.set("result", word_of(outcome.verdict.result));
  value.set("tried", outcome.tried);
  value.set("seen", outcome.verdict.seen);
  if (outcome.verdict.result == Result::Fail) value.set("means", "a client can " + std::string(outcome.probe->means));
  return value;
}

Value texts(const std::vector<std::string>& all) {
  auto list = Value::array();
  for (const auto& text : all) list.push(text);
  return list;
}

}  // namespace

std::size_t Report::count(Result result) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(outcomes, [&](const auto& each) { return each.verdict.result == result; }));
}

std::string_view word_of(Result result) {
  switch (result) {
    case Result::Pass:
      return "PASS";
    case Result::Fail:
      return "FAIL";
    case Result::Skip:
      break;
  }
  return "SKIP";
}

std::string text_of(const Outcome& outcome) {
  const auto& [probe, tried, verdict] = outcome;
  std::string family(probe->family);
  family.resize(std::max(family.size(), family_width), ' ');
  auto text = std::string(word_of(verdict.result)) + "  " + family + "  " + std::string(probe->what);
  const std::string indented = "\n                    ";
  if (verdict.result != Result::Fail) return text + indented + escaped(verdict.seen) + "\n";
  return text + indented + "tried: " + escaped(tried) + indented + "seen: " + escaped(verdict.seen) + indented +
         "means: a client can " + std::string(probe->means) + "\n";
}

std::string summary(const Report& report) {
  const auto failed = report.count(Result::Fail);
  std::string text;
  for (const auto& left : report.left) text += "left behind: " + escaped(left) + "\n";
  if (!report.left.empty())
    text += "remove it by hand, or run podfence verify again: it removes what is called " + report.run + "\n";
  if (!report.broken_off.empty()) text += "broken off: " + escaped(report.broken_off) + "\n";
  text += std::to_string(report.count(Result::Pass)) + " passed, " + std::to_string(failed) + " failed, " +
          std::to_string(report.count(Result::Skip)) + " could not be tried\n";
  if (failed > 0)
    text += "AT ONCE: take " + report.socket + " away from its clients (end podfence, or podfence project remove " +
            report.project + " --teardown stop), look through what project " + report.project +
            " runs, and only then at the causes above\n";
  return text;
}

std::string json_of(const Report& report) {
  auto document = Value::object();
  document.set("project", report.project);
  document.set("socket", report.socket);
  document.set("run", report.run);
  auto list = Value::array();
  for (const auto& outcome : report.outcomes) list.push(member(outcome));
  document.set("probes", std::move(list));
  for (const auto& [name, result] :
       {std::pair("passed", Result::Pass), {"failed", Result::Fail}, {"skipped", Result::Skip}})
    document.set(name, Value::integer(static_cast<std::int64_t>(report.count(result))));
  document.set("left", texts(report.left));
  document.set("broken_off", report.broken_off);
  return json::write_printable(document) + "\n";
}

}  // namespace podfence::rules::verify
