#include "rules/dockerfile/judge.hpp"

#include <algorithm>
#include <array>

#include "rules/ascii.hpp"
#include "rules/dockerfile/instruction.hpp"
#include "rules/dockerfile/mount.hpp"
#include "rules/dockerfile/refuse.hpp"
#include "rules/dockerfile/words.hpp"

namespace podfence::rules::dockerfile {

namespace {

using Denied = std::optional<Deny>;

/// What ADD fetches (buildah: add.go, sourceIsRemote and sourceIsGit), and what a later builder might.
constexpr auto schemes = std::to_array<std::string_view>({"http://", "https://", "ftp://", "git://", "ssh://", "git@"});

/// The word without quotes, where it holds no variable.
std::optional<std::string> literal(std::string_view word) {
  return is_literal(word) ? substitute(word, Variables(true)) : std::nullopt;
}

/// May it be fetched, once the builder has put in variables that only it knows?
bool may_be_url(std::string_view source) {
  const auto whole = literal(source);
  const auto known = ascii::lower(whole ? *whole : source.substr(0, source.find_first_of("$'\"\\")));
  return std::ranges::any_of(schemes, [&](std::string_view scheme) {
    return known.starts_with(scheme) || (!whole && scheme.starts_with(known));
  });
}

/// ADD and COPY: whence they copy, in the context or the image they name.
Denied check_sources(const Command& command, const Options& options) {
  auto words = json_list(command.rest);
  if (!words && begins_as_list(command.rest)) return refuse(command, refusal("dockerfile.text"), command.rest);
  if (!words) words = split_blanks(command.rest);
  if (words->size() < 2) return refuse(command, refusal("dockerfile.syntax"), command.rest);
  words->pop_back();
  for (const auto& source : *words) {
    if (command.row->verb == Verb::Add && !options.urls && may_be_url(source))
      return refuse(command, refusal("dockerfile.url"), source);
    if (climbs(literal(source).value_or(source))) return refuse(command, refusal("dockerfile.path"), source);
  }
  return std::nullopt;
}

/// LABEL. podfence's own comes last and wins; this is so that nobody is surprised.
Denied check_labels(const Command& command, const Options& options) {
  const auto labels = name_values(command.rest);
  if (!labels) return refuse(command, refusal("dockerfile.syntax"), command.rest);
  for (const auto& [key, value] : *labels) {
    const auto name = literal(key);
    if (!name) return refuse(command, refusal("dockerfile.variable"), key);
    if (*name == options.label_key && literal(value) != options.label_value)
      return refuse(command, refusal("dockerfile.label"), key);
  }
  return std::nullopt;
}

Denied set_environment(const Command& command, Variables& variables) {
  const auto pairs = name_values(command.rest);
  if (!pairs) return refuse(command, refusal("dockerfile.syntax"), command.rest);
  std::vector<std::pair<std::string, std::optional<std::string>>> known;  // none sees what another one here sets
  for (const auto& [key, value] : *pairs) {
    const auto name = literal(key);
    if (!name) return refuse(command, refusal("dockerfile.variable"), key);
    known.emplace_back(*name, substitute(value, variables));
  }
  for (auto& [name, value] : known) variables.set_environment(name, std::move(value));
  return std::nullopt;
}

std::optional<std::string> predefined(const std::string& name, const Options& options) {
  for (const auto& [prefix, platform] :
       {std::pair("TARGET", &options.platform), std::pair("BUILD", &options.build_platform)}) {
    if (!name.starts_with(prefix)) continue;
    const auto part = name.substr(std::string_view(prefix).size());
    const auto slash = std::min(platform->find('/'), platform->size());
    const auto second = std::min(platform->find('/', slash + 1), platform->size());
    if (part == "PLATFORM") return *platform;
    if (part == "OS") return platform->substr(0, slash);
    if (part == "ARCH") return platform->substr(std::min(slash + 1, platform->size()), second - slash - 1);
    if (part == "VARIANT") return platform->substr(std::min(second + 1, platform->size()));
  }
  return std::nullopt;
}

/// dispatchers.go, arg: the build's argument, then the default, then what the heading says.
void set_argument(const std::string& name, std::optional<std::string> value, const Place& place) {
  if (const auto given = place.options.build_args.find(name); given != place.options.build_args.end())
    value = given->second;
  else if (const auto own = predefined(name, place.options))
    value = own;
  else if (!value)
    value = place.heading ? place.heading->argument(name).value_or("") : "";
  place.variables.set_argument(name, std::move(value));
}

Denied set_arguments(const Command& command, const Place& place) {
  std::vector<std::pair<std::string, std::optional<std::string>>> words;  // as written, and as known
  for (auto& word : split_words(command.rest)) {
    auto known = substitute(word, place.variables);
    words.emplace_back(std::move(word), std::move(known));
  }
  for (const auto& [word, known] : words) {
    const auto& text = known ? *known : word;
    const auto equals = std::min(text.find('='), text.size());
    const auto name = text.substr(0, equals);
    if (!known && !is_literal(name)) return refuse(command, refusal("dockerfile.variable"), word);
    if (known)
      set_argument(name, equals < text.size() ? std::optional(text.substr(equals + 1)) : std::nullopt, place);
    else
      place.variables.set_argument(name, std::nullopt);
  }
  return std::nullopt;
}

/// RUN --network and --mount.
Denied finish_run(const Command& command, const Place& place, Instruction& instruction) {
  const auto network = known_value(command, "network", place.variables);
  if (const auto* denied = std::get_if<Deny>(&network)) return *denied;
  const auto& mode = std::get<std::string>(network);
  if (!mode.empty() && mode != "none" && mode != "default") return refuse(command, refusal("dockerfile.network"), mode);
  if (mode == "none" && follows_links(place.options.engine))
    return refuse(command, refusal("dockerfile.flag"), "--network=" + mode);
  const Resolve resolve = [&](const std::string& name) { return place.stages.copied(name, command.line); };
  for (auto& flag : std::exchange(instruction.flags, {})) {
    if (flag.name == "network") {
      if (mode == "none") instruction.flags.push_back({flag.name, mode});
      continue;
    }
    const auto text = substitute(*flag.value, place.variables);
    if (!text) return refuse(command, refusal("dockerfile.variable"), "--mount=" + *flag.value);
    auto mount = read_mount(*text, place.options, command.line, resolve);
    if (auto* denied = std::get_if<Deny>(&mount)) return std::move(*denied);
    instruction.mounts.push_back(std::get<Mount>(std::move(mount)));
  }
  return std::nullopt;
}

Denied finish_copy(const Command& command, const Place& place, Instruction& instruction) {
  if (auto denied = check_sources(command, place.options)) return denied;
  const auto from = known_value(command, "from", place.variables);
  if (const auto* denied = std::get_if<Deny>(&from)) return *denied;
  const auto& name = std::get<std::string>(from);
  if (name.empty()) return std::nullopt;
  auto source = place.stages.copied(name, command.line);
  if (auto* denied = std::get_if<Deny>(&source)) return std::move(*denied);
  instruction.from = std::get<Source>(std::move(source));
  std::erase_if(instruction.flags, [](const Flag& flag) { return flag.name == "from"; });
  return std::nullopt;
}

/// What Podman takes as one, and no volume in front of a RUN that cannot be moved (parse.cpp: settle_volumes).
bool is_trigger(const Command& command, EngineVersion engine) {
  const auto verb = command.row->verb;
  if (verb == Verb::Onbuild || verb == Verb::From || verb == Verb::Maintainer || !command.heredocs.empty())
    return false;
  return verb != Verb::Volume || !follows_links(engine);
}

Denied judge_onbuild(const Command& command, const Options& options) {
  auto inner = read_command(command.rest, command.line);
  if (auto* denied = std::get_if<Deny>(&inner)) return std::move(*denied);
  return judge_trigger(std::get<Command>(std::move(inner)), options);
}

Denied finish(const Command& command, const Place& place, Instruction& instruction) {
  switch (command.row->verb) {
    case Verb::Add:
    case Verb::Copy:
      return finish_copy(command, place, instruction);
    case Verb::Run:
      return finish_run(command, place, instruction);
    case Verb::Label:
      return check_labels(command, place.options);
    case Verb::Env:
      return set_environment(command, place.variables);
    case Verb::Arg:
      return set_arguments(command, place);
    case Verb::Onbuild:
      return judge_onbuild(command, place.options);
    case Verb::From:
      return refuse(command, refusal("dockerfile.syntax"), command.rest);
    case Verb::Cmd:
    case Verb::Entrypoint:
    case Verb::Expose:
    case Verb::Healthcheck:
    case Verb::Maintainer:
    case Verb::Shell:
    case Verb::Stopsignal:
    case Verb::User:
    case Verb::Volume:
    case Verb::Workdir:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::variant<Instruction, Deny> judge(Command command, Place place) {
  auto flags = read_flags(command, place.options.engine);
  if (auto* denied = std::get_if<Deny>(&flags)) return std::move(*denied);
  Instruction instruction;
  instruction.row = command.row;
  instruction.flags = std::get<std::vector<Flag>>(std::move(flags));
  if (auto denied = finish(command, place, instruction)) return std::move(*denied);
  instruction.rest = std::move(command.rest);
  instruction.heredocs = std::move(command.heredocs);
  return instruction;
}

std::optional<Deny> judge_trigger(Command command, const Options& options) {
  const auto denied =
      deny_at(refusal("dockerfile.onbuild"), command.line, std::string(command.row->name) + " " + command.rest);
  if (!is_trigger(command, options.engine)) return denied;
  Variables unknown(false);
  const StageNames none;
  auto judged = judge(std::move(command), {options, none, unknown, nullptr});
  if (auto* refused = std::get_if<Deny>(&judged)) return std::move(*refused);
  const auto& instruction = std::get<Instruction>(judged);
  if (!instruction.mounts.empty() || instruction.from) return denied;
  return std::nullopt;
}

}  // namespace podfence::rules::dockerfile
