#pragma once
// What FROM, COPY --from and RUN --mount=from= name: an earlier stage or an image.

#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "rules/dockerfile/dockerfile.hpp"

namespace podfence::rules::dockerfile {

/// The stages so far, by name and number. A name is compared as it is, as buildah does (executor.go: waitForStage);
/// only earlier stages count, so that a later one's name is an image's.
class StageNames {
 public:
  /// The stage that begins now ends its turn: the next ones may name it. "" has a number only.
  void add(const std::string& name);

  /// Is it good for a stage of that name to begin? Numbers, ids and names that stand already are told from nothing
  /// else; variables in it are put in by Podman 5.4 and not by 4.3.
  bool may_begin(std::string_view name) const;

  std::variant<Source, Deny> base(const std::string& name, const std::string& platform, std::size_t line) const;
  std::variant<Source, Deny> copied(const std::string& name, std::size_t line) const;

  /// "" for a stage that is not there.
  std::string_view name_of(std::size_t position) const { return names_[position]; }

 private:
  std::vector<std::string> names_;
  std::map<std::string, std::size_t, std::less<>> positions_;
};

/// `0`, `12`: how Go's strconv.Atoi would see a number, a sign or leading zeros included.
bool is_number(std::string_view text);

/// A path that leaves where it begins.
bool climbs(std::string_view path);

}  // namespace podfence::rules::dockerfile
