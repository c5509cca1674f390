#pragma once
// Variables: what ARG and ENV set, as far as the file and the build's arguments tell, and how they are put into a word
// (imagebuilder/shell_parser.go).

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace podfence::rules::dockerfile {

/// What a name stands for. A stage's image may set anything in its environment, so that what nobody sets here is not
/// known there; before the first FROM it is empty.
class Variables {
 public:
  explicit Variables(bool closed) : closed_(closed) {}

  void set_argument(const std::string& name, std::optional<std::string> value) { arguments_[name] = limited(value); }
  void set_environment(const std::string& name, std::optional<std::string> value) {
    environment_[name] = limited(value);
  }

  /// The environment wins (imagebuilder/builder.go: mergeEnv). nullopt: not known.
  std::optional<std::string> find(const std::string& name) const;
  /// The argument alone, whatever the environment says; nullopt: none, or not known.
  std::optional<std::string> argument(const std::string& name) const;

 private:
  /// `ENV A=$A$A` doubles; nobody needs what comes of it.
  static std::optional<std::string> limited(std::optional<std::string> value);

  bool closed_;
  std::map<std::string, std::optional<std::string>> arguments_, environment_;
};

/// The word with its variables put in and its quotes taken off. nullopt: not known, or not a word to this builder, or
/// one that Podman 4.3 and 5.4 read differently (`${X#...}`).
std::optional<std::string> substitute(std::string_view word, const Variables& variables);

/// Does it hold nothing that would be put in?
bool is_literal(std::string_view word);

}  // namespace podfence::rules::dockerfile
