#include "rules/dockerfile/instruction.hpp"

#include <algorithm>
#include <array>

namespace podfence::rules::dockerfile {

namespace {

// imagebuilder/dispatchers.go: add, dispatchCopy, from, run, healthcheck. What the builder knows and then calls "not
// supported" (buildah's StageExecutor.Copy: --link, --parents, --keep-git-dir) is not here. Other instructions drop
// flags without a word: `CMD --x y` runs y.
constexpr FlagRow add_flags[] = {{"chown", FlagValue::Text},
                                 {"chmod", FlagValue::Text},
                                 {"checksum", FlagValue::Text, proven_builder},
                                 {"exclude", FlagValue::Repeated, proven_builder}};
constexpr FlagRow copy_flags[] = {{"from", FlagValue::Known},
                                  {"chown", FlagValue::Text},
                                  {"chmod", FlagValue::Text},
                                  {"exclude", FlagValue::Repeated, proven_builder}};
constexpr FlagRow from_flags[] = {{"platform", FlagValue::Known}};
constexpr FlagRow run_flags[] = {{"mount", FlagValue::Known}, {"network", FlagValue::Known}};
constexpr FlagRow health_flags[] = {{"interval", FlagValue::Text},
                                    {"timeout", FlagValue::Text},
                                    {"start-period", FlagValue::Text},
                                    {"retries", FlagValue::Text},
                                    {"start-interval", FlagValue::Text, proven_builder}};

constexpr auto rows = std::to_array<InstructionRow>({
    {Verb::Add, "ADD", "add", add_flags},
    {Verb::Arg, "ARG", "arg", {}},
    {Verb::Cmd, "CMD", "cmd", {}},
    {Verb::Copy, "COPY", "copy", copy_flags},
    {Verb::Entrypoint, "ENTRYPOINT", "entrypoint", {}},
    {Verb::Env, "ENV", "env", {}},
    {Verb::Expose, "EXPOSE", "expose", {}},
    {Verb::From, "FROM", "from", from_flags},
    {Verb::Healthcheck, "HEALTHCHECK", "healthcheck", health_flags},
    {Verb::Label, "LABEL", "label", {}},
    {Verb::Maintainer, "MAINTAINER", "maintainer", {}},
    {Verb::Onbuild, "ONBUILD", "onbuild", {}},
    {Verb::Run, "RUN", "run", run_flags},
    {Verb::Shell, "SHELL", "shell", {}},
    {Verb::Stopsignal, "STOPSIGNAL", "stopsignal", {}},
    {Verb::User, "USER", "user", {}},
    {Verb::Volume, "VOLUME", "volume", {}},
    {Verb::Workdir, "WORKDIR", "workdir", {}},
});

}  // namespace

const InstructionRow* find_instruction(std::string_view lower) {
  const auto found = std::ranges::find(rows, lower, &InstructionRow::lower);
  return found == rows.end() ? nullptr : &*found;
}

const FlagRow* find_flag(const InstructionRow& row, std::string_view name) {
  const auto found = std::ranges::find(row.flags, name, &FlagRow::name);
  return found == row.flags.end() ? nullptr : &*found;
}

}  // namespace podfence::rules::dockerfile
