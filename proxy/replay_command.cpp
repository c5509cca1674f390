#include "proxy/replay_command.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <iostream>
#include <optional>

#include "proxy/choose_project.hpp"
#include "proxy/crash_guard.hpp"
#include "proxy/failure.hpp"
#include "proxy/log.hpp"
#include "proxy/raw_request.hpp"
#include "proxy/replay.hpp"
#include "proxy/replay_inputs.hpp"

namespace podfence::proxy {
namespace {

using Verdicts = std::vector<rules::Verdict>;

/// A policy that requests are decided under, and what exists there.
struct Side {
  rules::Project project;
  rules::StatedObjects facts;
};

/// Or the exit code after the reason was told.
std::variant<Side, int> load_side(const CommandLine& line) {
  const auto loaded = load_unserved(line);
  if (const int* code = std::get_if<int>(&loaded)) return *code;
  const auto* project = choose_project(std::get<rules::Configuration>(loaded), line.options.project);
  if (!project) return exit_usage;
  auto facts = read_facts(line.facts, *project);
  if (const int* code = std::get_if<int>(&facts)) return *code;
  return Side{*project, std::get<rules::StatedObjects>(std::move(facts))};
}

/// The same line with the other policy.
CommandLine other_line(CommandLine line) {
  (line.configuration_file.empty() ? line.options.policy : line.configuration_file) = line.replay.against;
  return line;
}

/// Standard output, written in large pieces.
class Output {
 public:
  ~Output() { flush(); }
  void line(std::string_view text) {
    waiting_.append(text) += '\n';
    if (waiting_.size() >= piece_size) flush();
  }
  void flush() {
    std::fwrite(waiting_.data(), 1, waiting_.size(), stdout);
    std::fflush(stdout);
    waiting_.clear();
  }

 private:
  static constexpr std::size_t piece_size = 64 * 1024;
  std::string waiting_;
};

/// What the child of the guard does.
class Run {
 public:
  Run(const CommandLine& line, CurrentInput& current, const Side& one, const Side* other)
      : line_(line), current_(current), one_(one.project, one.facts) {
    if (other) other_.emplace(other->project, other->facts);
  }

  int all() {
    const auto begin = std::clock();
    each_input(line_.replay.inputs, [&](const std::string& name, std::string bytes) {
      if (line_.replay.text) bytes = raw_request(std::move(bytes)).bytes;
      ++inputs_;
      return take(name, bytes);
    });
    output_.flush();
    if (code_ != exit_finding) tell(std::clock() - begin);
    return code_;
  }

 private:
  /// False after a finding.
  bool take(const std::string& name, const std::string& bytes) {
    current_.set(bytes);
    try {
      const auto one = one_.decide(bytes);
      if (!one.differs.empty()) return found("undecided", name, bytes, twice(one.differs));
      requests_ += one.verdicts.size();
      unread_ += one.closed;
      if (!other_) return print(name, one.verdicts), true;
      const auto other = other_->decide(bytes);
      if (!other.differs.empty()) return found("undecided", name, bytes, twice(other.differs));
      print(name, one.verdicts, other.verdicts);
      return true;
    } catch (const std::exception& error) {
      return found("crash", name, bytes, "was given up: " + said_by(error));
    }
  }

  static std::string twice(std::string_view what) { return "was decided twice, and not alike: " + std::string(what); }

  bool found(const std::string& kind, const std::string& name, const std::string& bytes, const std::string& what) {
    output_.flush();
    log(name + " " + what + "; it is saved as " + save_input(line_.replay.save, kind, bytes));
    code_ = exit_finding;
    return false;
  }

  void print(const std::string& name, const Verdicts& verdicts) {
    rules::RequestPlace place{name, 0};
    for (const auto& verdict : verdicts) {
      ++place.number;
      output_.line(line_.replay.json ? rules::verdict_json(place, verdict) : rules::verdict_tsv(place, verdict));
    }
  }

  void print(const std::string& name, const Verdicts& one, const Verdicts& other) {
    const auto at = [](const Verdicts& all, std::size_t i) { return i < all.size() ? &all[i] : nullptr; };
    for (std::size_t i = 0; i < std::max(one.size(), other.size()); ++i) {
      const auto *left = at(one, i), *right = at(other, i);
      if (left && right && rules::difference_between(*left, *right).empty()) continue;
      const rules::RequestPlace place{name, i + 1};
      output_.line(line_.replay.json ? rules::difference_json(place, left, right)
                                     : rules::difference_tsv(place, left, right));
      ++differences_;
      code_ = exit_differs;
    }
  }

  /// Time of the processor: what else the machine does is not in it.
  void tell(std::clock_t taken) const {
    const auto microseconds = static_cast<std::uint64_t>(taken) * 1'000'000 / CLOCKS_PER_SEC;
    std::string text = std::to_string(requests_) + " requests of " + std::to_string(inputs_) + " inputs in " +
                       std::to_string(microseconds / 1000) + " ms";
    if (microseconds > 0) text += ", " + std::to_string(requests_ * 1'000'000 / microseconds) + " a second";
    if (unread_ > 0)
      text += "; of " + std::to_string(unread_) + " inputs not all was read: the connection ended before";
    if (other_) text += "; " + std::to_string(differences_) + " differ";
    log(text);
  }

  const CommandLine& line_;
  CurrentInput& current_;
  Replay one_;
  std::optional<Replay> other_;
  Output output_;
  std::size_t inputs_ = 0, requests_ = 0, unread_ = 0, differences_ = 0;
  int code_ = exit_ok;
};

}  // namespace

int replay(const CommandLine& line) {
  const auto one = load_side(line);
  if (const int* code = std::get_if<int>(&one)) return *code;
  std::optional<Side> other;
  if (!line.replay.against.empty()) {
    auto loaded = load_side(other_line(line));
    if (const int* code = std::get_if<int>(&loaded)) return *code;
    other = std::get<Side>(std::move(loaded));
  }
  CurrentInput current;
  const auto end =
      run_guarded([&] { return Run(line, current, std::get<Side>(one), other ? &*other : nullptr).all(); });
  if (end.signal == 0) return end.exit_code;
  log(std::string("podfence crashed (") + strsignal(end.signal) + ") on a request; it is saved as " +
      save_input(line.replay.save, "crash", current.get()));
  return exit_finding;
}

}  // namespace podfence::proxy
