// From instructions to stages: which image each begins with, which of them the target needs.

#include <algorithm>

#include "rules/ascii.hpp"
#include "rules/dockerfile/dockerfile.hpp"
#include "rules/dockerfile/instruction.hpp"
#include "rules/dockerfile/judge.hpp"
#include "rules/dockerfile/reading.hpp"
#include "rules/dockerfile/refuse.hpp"
#include "rules/dockerfile/words.hpp"

namespace podfence::rules::dockerfile {

namespace {

using Denied = std::optional<Deny>;

/// os/architecture[/variant]
bool is_platform(std::string_view text) {
  return std::ranges::count(text, '/') <= 2 && std::ranges::all_of(text, [](char c) {
           return ascii::is_alphanumeric(c) || std::string_view("/._-").find(c) != std::string_view::npos;
         });
}

class Parser {
 public:
  explicit Parser(const Options& options) : options_(options) {
    for (const auto* name : {"PLATFORM", "OS", "ARCH", "VARIANT"})
      for (const auto* prefix : {"TARGET", "BUILD"}) declare(std::string(prefix) + name);
  }

  Denied add(Command command) {
    if (command.row->verb == Verb::From) return begin_stage(command);
    const bool heading = file_.stages.empty();
    if (heading && command.row->verb != Verb::Arg)
      return deny_at(refusal("dockerfile.syntax"), command.line,
                     std::string(command.row->name) + " stands in front of the first FROM");
    const Place place{options_, stages_, heading ? heading_ : variables_, heading ? nullptr : &heading_};
    auto judged = judge(std::move(command), place);
    if (auto* denied = std::get_if<Deny>(&judged)) return std::move(*denied);
    auto& into = heading ? file_.heading : file_.stages.back().instructions;
    into.push_back(std::get<Instruction>(std::move(judged)));
    return std::nullopt;
  }

  std::variant<File, Deny> finish() {
    if (file_.stages.empty()) return Deny{refusal("dockerfile.syntax"), "it has no FROM", Kind::None};
    if (auto denied = cut_at_target()) return std::move(*denied);
    if (!options_.all_stages) mark_needed();
    for (auto& stage : file_.stages)
      if (auto denied = settle_volumes(stage)) return std::move(*denied);
    return std::move(file_);
  }

 private:
  /// Known in every FROM (imagebuilder/builder.go: builtinArgDefaults); as 5.4 does, for 4.3 as well.
  void declare(const std::string& name) {
    Command argument;
    argument.row = find_instruction("arg");
    argument.rest = name;
    judge(std::move(argument), Place{options_, stages_, heading_, nullptr});
  }

  Denied begin_stage(const Command& command) {
    const auto words = split_blanks(command.rest);
    const bool named = words.size() == 3 && ascii::equal_caseless(words[1], "as");
    if (words.size() != 1 && !named) return deny_at(refusal("dockerfile.syntax"), command.line, "FROM " + command.rest);
    if (file_.stages.size() == max_stages)
      return deny_at(refusal("dockerfile.too-large"), command.line, "too many stages");
    if (!file_.stages.empty()) stages_.add(file_.stages.back().name);
    if (named && !stages_.may_begin(words[2])) return deny_at(refusal("dockerfile.stage"), command.line, words[2]);
    if (auto flags = read_flags(command, options_.engine); auto* denied = std::get_if<Deny>(&flags))
      return std::move(*denied);

    Stage stage;
    const auto platform = known_value(command, "platform", heading_);
    if (const auto* denied = std::get_if<Deny>(&platform)) return *denied;
    stage.platform = std::get<std::string>(platform);
    if (!is_platform(stage.platform)) return deny_at(refusal("dockerfile.flag-value"), command.line, stage.platform);
    const bool replaced = file_.stages.empty() && !options_.from.empty();
    const auto name = substitute(replaced ? options_.from : words[0], heading_);
    if (!name) return deny_at(refusal("dockerfile.variable"), command.line, words[0]);
    auto base = stages_.base(*name, stage.platform, command.line);
    if (auto* denied = std::get_if<Deny>(&base)) return std::move(*denied);
    stage.base = std::get<Source>(std::move(base));
    if (named) stage.name = words[2];
    file_.stages.push_back(std::move(stage));
    variables_ = Variables(false);
    return std::nullopt;
  }

  /// imagebuilder/builder.go, ThroughTarget. What follows is gone, so that what Podman appends for the query's labels
  /// comes to the target.
  Denied cut_at_target() {
    if (options_.target.empty()) return std::nullopt;
    auto& stages = file_.stages;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      if (stages[i].name != options_.target && std::to_string(i) != options_.target) continue;
      stages.resize(i + 1);
      return std::nullopt;
    }
    return Deny{refusal("dockerfile.target"), options_.target, Kind::None};
  }

  /// executor.go, Build: markDependencyStagesForTarget. References point backwards only.
  void mark_needed() {
    auto& stages = file_.stages;
    for (auto& stage : stages) stage.needed = false;
    stages.back().needed = true;
    const auto mark = [&](const Source& source) {
      if (const auto* reference = std::get_if<StageReference>(&source)) stages[reference->position].needed = true;
    };
    for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
      if (!stage->needed) continue;
      mark(stage->base);
      for (const auto& instruction : stage->instructions) {
        if (instruction.from) mark(*instruction.from);
        for (const auto& mount : instruction.mounts)
          if (mount.from) mark(*mount.from);
      }
    }
  }

  /// 1.28 preserves what VOLUME names while a RUN runs, by an overlay of the path on the host, and the build can have
  /// put a symbolic link there by then (stage_executor.go: volumeCacheSaveOverlay). Behind the last RUN nothing is
  /// preserved any more, as 5.4 never does unless it is asked to.
  Denied settle_volumes(Stage& stage) const {
    if (!follows_links(options_.engine)) return std::nullopt;
    auto& all = stage.instructions;
    const auto is_run = [](const Instruction& each) { return each.row->verb == Verb::Run; };
    const auto behind = std::find_if(all.rbegin(), all.rend(), is_run).base();
    const auto volumes = std::stable_partition(all.begin(), behind,
                                               [](const Instruction& each) { return each.row->verb != Verb::Volume; });
    // A variable could mean something else there.
    for (auto volume = volumes; volume != behind; ++volume)
      if (volume->rest.find('$') != std::string::npos)
        return Deny{refusal("dockerfile.volume"), "VOLUME " + volume->rest, Kind::None};
    return std::nullopt;
  }

  const Options& options_;
  File file_;
  StageNames stages_;
  Variables heading_{true};
  Variables variables_{false};
};

}  // namespace

std::variant<File, Deny> parse(std::span<const std::string_view> texts, const Options& options) {
  Parser parser(options);
  std::size_t bytes = 0, instructions = 0;
  for (const auto text : texts) {
    bytes += text.size();
    if (bytes > max_text)
      return Deny{refusal("dockerfile.too-large"), "more than " + std::to_string(max_text) + " bytes", Kind::None};
    auto commands = read_commands(text, options.engine);
    if (auto* denied = std::get_if<Deny>(&commands)) return std::move(*denied);
    instructions += std::get<0>(commands).size();
    if (instructions > max_instructions)
      return Deny{refusal("dockerfile.too-large"), "too many instructions", Kind::None};
    for (auto& command : std::get<0>(commands))
      if (auto denied = parser.add(std::move(command))) return std::move(*denied);
  }
  return parser.finish();
}

std::variant<File, Deny> parse(std::string_view text, const Options& options) {
  return parse(std::span(&text, 1), options);
}

std::optional<Deny> check_onbuild(std::span<const std::string> triggers, const Options& options) {
  std::string text;
  for (const auto& trigger : triggers) text.append(trigger).append("\n");
  auto commands = read_commands(text, options.engine);
  if (auto* denied = std::get_if<Deny>(&commands)) return std::move(*denied);
  for (auto& command : std::get<0>(commands))
    if (auto denied = judge_trigger(std::move(command), options)) return denied;
  return std::nullopt;
}

}  // namespace podfence::rules::dockerfile
