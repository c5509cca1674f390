#pragma once
// A Dockerfile as Podman's builder reads it (openshift/imagebuilder 1.2.3 and buildah 1.28 in Podman 4.3, 1.2.15 and
// 1.39 in Podman 5.4), judged, and written anew. What the builders read in two ways, or what lets a build out of its
// container, is refused or written so that it cannot. Every image is named by the id that the caller found for it.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "rules/decision.hpp"
#include "rules/engine_version.hpp"

namespace podfence::rules::dockerfile {

struct InstructionRow;

/// What the build's query and the project's policy say.
struct Options {
  std::string label_key;    ///< the project's label, which no LABEL may set to
  std::string label_value;  ///< anything but this
  EngineVersion engine;
  std::map<std::string, std::string> build_args;  ///< --build-arg
  std::string platform = "linux/amd64";           ///< os/architecture[/variant] that is built for
  std::string build_platform = "linux/amd64";     ///< the host's
  std::string target;                             ///< --target: a stage's name or number; "" is the last one
  std::string from;                               ///< --from: the image of the first FROM
  bool all_stages = false;                        ///< --skip-unused-stages=false
  bool urls = false;                              ///< ADD may fetch, in the network of the host
  bool secrets = false;                           ///< RUN --mount=type=secret
  bool ssh = false;                               ///< RUN --mount=type=ssh
  std::string cache_prefix;                       ///< of the ids of RUN --mount=type=cache: "podfence.p1."
  std::optional<std::int64_t> tmpfs_bytes;        ///< most that a RUN --mount=type=tmpfs may have
};

/// An image that the file names, as the file names it once variables are put in.
struct Image {
  std::string name;      ///< a registry name, or an id of 64 digits
  std::string platform;  ///< of FROM --platform; "" is the build's
  friend auto operator<=>(const Image&, const Image&) = default;
};

struct Scratch {
  friend bool operator==(const Scratch&, const Scratch&) = default;
};

/// An earlier stage.
struct StageReference {
  std::size_t position = 0;
  friend bool operator==(const StageReference&, const StageReference&) = default;
};

using Source = std::variant<Scratch, StageReference, Image>;

/// `--name` or `--name=value`.
struct Flag {
  std::string name;
  std::optional<std::string> value;
  friend bool operator==(const Flag&, const Flag&) = default;
};

/// RUN --mount, in our own order and words; `from` stands behind them.
struct Mount {
  std::vector<std::pair<std::string, std::string>> options;  ///< key, value; no value: the key alone
  std::optional<Source> from;
  friend bool operator==(const Mount&, const Mount&) = default;
};

/// A text behind RUN <<NAME.
struct Heredoc {
  std::string name;
  bool chomp = false;  ///< <<-NAME: leading tabs are no part of the end's line
  std::vector<std::string> lines;
  friend bool operator==(const Heredoc&, const Heredoc&) = default;
};

struct Instruction {
  const InstructionRow* row = nullptr;
  std::vector<Flag> flags;
  std::vector<Mount> mounts;   ///< RUN
  std::optional<Source> from;  ///< COPY
  std::string rest;            ///< behind the flags: one line, no space at either end
  std::vector<Heredoc> heredocs;
  friend bool operator==(const Instruction&, const Instruction&) = default;
};

struct Stage {
  Source base;
  std::string platform;  ///< FROM --platform
  std::string name;      ///< "" has a number only
  bool needed = true;    ///< for the target; what is not needed is not built
  std::vector<Instruction> instructions;
  friend bool operator==(const Stage&, const Stage&) = default;
};

struct File {
  std::vector<Instruction> heading;  ///< ARG before the first FROM
  std::vector<Stage> stages;         ///< up to the target
  friend bool operator==(const File&, const File&) = default;
};

inline constexpr std::size_t max_text = std::size_t{1} << 20;
inline constexpr std::size_t max_instructions = 10'000;
inline constexpr std::size_t max_stages = 256;

/// Podman joins several files (`dockerfile` as a list) to one; each has its own directives.
std::variant<File, Deny> parse(std::span<const std::string_view> texts, const Options& options);
std::variant<File, Deny> parse(std::string_view text, const Options& options);

/// What has to be resolved, in the order of the file, each once.
std::vector<Image> images(const File& file);

/// One instruction a line. `ids` has the full id of each of `images`; `behind_from` are whole lines for the beginning
/// of every stage that is built.
std::variant<std::string, Deny> write(const File& file, const std::map<Image, std::string>& ids,
                                      std::span<const std::string> behind_from);

/// What a base image runs in every build from it (Config.OnBuild): judged as one text, since Podman reads it so, and
/// refused where it names images, mounts or fetches. It runs in front of the first line of the stage.
std::optional<Deny> check_onbuild(std::span<const std::string> triggers, const Options& options);

}  // namespace podfence::rules::dockerfile
