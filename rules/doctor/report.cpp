#include <algorithm>

#include "rules/doctor/checks.hpp"
#include "rules/escaped.hpp"
#include "rules/json.hpp"

namespace podfence::rules::doctor {

namespace {

std::string_view word_of(Level level) {
  switch (level) {
    case Level::Ok:
      return "OK";
    case Level::Warn:
      return "WARN";
    case Level::Fail:
      break;
  }
  return "FAIL";
}

std::string padded(std::string_view text, std::size_t width) {
  std::string result(text);
  result.resize(std::max(result.size(), width), ' ');
  return result;
}

std::size_t count(const std::vector<Line>& lines, Level level) {
  return static_cast<std::size_t>(
      std::ranges::count_if(lines, [&](const Line& line) { return line.finding.level == level; }));
}

}  // namespace

bool has_failed(const std::vector<Line>& lines) { return count(lines, Level::Fail) > 0; }

std::string text_of(const std::vector<Line>& lines) {
  std::string text;
  for (const auto& [subject, finding] : lines) {
    text += padded(word_of(finding.level), 6) + padded(subject, 12) + escaped(finding.what) + "\n";
    if (!finding.mend.empty()) text += std::string(18, ' ') + "mend: " + escaped(finding.mend) + "\n";
  }
  return text + std::to_string(count(lines, Level::Ok)) + " ok, " + std::to_string(count(lines, Level::Warn)) +
         " warnings, " + std::to_string(count(lines, Level::Fail)) + " failed\n";
}

std::string json_of(const std::vector<Line>& lines) {
  auto list = json::Value::array();
  for (const auto& [subject, finding] : lines) {
    auto value = json::Value::object();
    value.set("check", subject);
    value.set("level", word_of(finding.level));
    value.set("what", finding.what);
    if (!finding.mend.empty()) value.set("mend", finding.mend);
    list.push(std::move(value));
  }
  auto document = json::Value::object();
  document.set("checks", std::move(list));
  return json::write_printable(document) + "\n";
}

}  // namespace podfence::rules::doctor
