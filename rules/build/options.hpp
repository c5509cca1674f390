#pragma once
// What a build's query says, read once: the parameters that the table leaves to be judged here.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "rules/archive.hpp"
#include "rules/decision.hpp"
#include "rules/exchange.hpp"

namespace podfence::rules::build {

/// How the names begin that podfence has in the context that Podman gets.
inline constexpr std::string_view written_prefix = ".podfence.";
/// Of the file that is built from.
inline constexpr std::string_view written_file = ".podfence.Containerfile";
/// Of a secret. Podman moves the file that a request names to the directory above the context, through links and
/// whatever is there (compat/images_build.go): so it is never a name of the client's.
std::string written_secret(std::size_t number);

struct Secret {
  std::string id;
  std::string source;  ///< a plain file of the context
};

enum class PullPolicy { Missing, Newer, Never };

struct Options {
  std::vector<std::string> files;  ///< clean names in the context; the first that is there when none was named
  bool names_files = false;
  std::vector<std::string> tags;                            ///< as the client says them
  std::vector<std::pair<std::string, std::string>> labels;  ///< without the project's own
  std::map<std::string, std::string> arguments;
  std::string target;
  std::string from;
  std::string format;    ///< of the image's manifest
  std::string platform;  ///< os/architecture[/variant], "" for the host's
  PullPolicy pull = PullPolicy::Missing;
  std::vector<Secret> secrets;
  std::optional<std::vector<std::string>> excludes;  ///< nullopt: an ignore file of the context says them
  std::vector<std::string> hosts;                    ///< name:address
  std::vector<QueryPair> pairs;                      ///< bounded amounts and the like, as they are sent
  bool network = true;                               ///< RUN may have one
  bool all_stages = false;
  bool quiet = false;
};

std::variant<Options, Deny> read_options(const Request& request, const Project& project);

/// The members of the context that are read, and those that must be plain files.
ArchiveRules context_rules(const Options& options);

/// The names to leave out of the context, as .containerignore or .dockerignore says them
/// (buildah/pkg/parse: ContainerIgnoreFile).
std::vector<std::string> excludes_of(const Options& options, const Archive& context);

}  // namespace podfence::rules::build
