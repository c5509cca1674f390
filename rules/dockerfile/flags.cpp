#include <algorithm>
#include <set>

#include "rules/ascii.hpp"
#include "rules/dockerfile/instruction.hpp"
#include "rules/dockerfile/judge.hpp"
#include "rules/dockerfile/refuse.hpp"

namespace podfence::rules::dockerfile {

namespace {

/// Written and read again it is the same word. "--" within a value is taken for a flag by one part of buildah
/// (stage_executor.go, Execute: strings.Contains(flag, "--from")).
bool is_writable(std::string_view value) {
  return !value.empty() && value.find("--") == std::string_view::npos && std::ranges::all_of(value, [](char c) {
    return ascii::is_graphic(c) && std::string_view("\"'\\<`").find(c) == std::string_view::npos;
  });
}

Flag split_flag(std::string_view word) {
  word.remove_prefix(2);
  const auto equals = word.find('=');
  if (equals == std::string_view::npos) return {std::string(word), std::nullopt};
  return {std::string(word.substr(0, equals)), std::string(word.substr(equals + 1))};
}

}  // namespace

std::variant<std::vector<Flag>, Deny> read_flags(const Command& command, EngineVersion engine) {
  std::vector<Flag> flags;
  std::set<std::string, std::less<>> seen;
  for (const auto& word : command.flags) {
    auto flag = split_flag(word);
    const auto* row = find_flag(*command.row, flag.name);
    if (command.row->verb == Verb::Run && flag.name == "security")
      return refuse(command, refusal("dockerfile.security"), word);
    if (!row || engine < row->since || !flag.value) return refuse(command, refusal("dockerfile.flag"), word);
    const bool once = row->value != FlagValue::Repeated && row->name != "mount";
    if (!is_writable(*flag.value) || (!seen.insert(flag.name).second && once))
      return refuse(command, refusal("dockerfile.flag-value"), word);
    flags.push_back(std::move(flag));
  }
  return flags;
}

std::variant<std::string, Deny> known_value(const Command& command, std::string_view flag, const Variables& variables) {
  for (const auto& word : command.flags) {
    const auto [name, value] = split_flag(word);
    if (name != flag) continue;
    auto known = substitute(*value, variables);
    if (!known) return refuse(command, refusal("dockerfile.variable"), word);
    if (!is_writable(*known) || known->find('$') != std::string::npos)
      return refuse(command, refusal("dockerfile.flag-value"), word);
    return std::move(*known);
  }
  return std::string();
}

}  // namespace podfence::rules::dockerfile
