#pragma once
// YAML as this project understands it: the documents of one text, read into JSON. Whatever two readers could take for
// two things is refused: tags, anchors and aliases (so no text grows when it is read), merge keys, directives, a key
// that stands twice or is no text. rules/yaml.cpp is the only includer of yaml-cpp. Nothing of the text is sent on.

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "rules/json.hpp"

namespace podfence::rules::yaml {

struct Limits {
  std::size_t bytes = 256 * 1024;  ///< a scanner of YAML takes a hundred times as long for a byte as one of JSON
  std::size_t depth = 32;          ///< nesting of lists and maps
  std::size_t names = 4096;        ///< keys of one map
  std::size_t nodes = 65536;       ///< values of the whole text
  std::size_t documents = 256;     ///< those that say something
};

struct Error {
  std::string what;           ///< a phrase for people
  std::size_t line = 0;       ///< from 1
  bool beyond_limit = false;  ///< the text may be fine; it is more than the limits let through

  /// With the line: "... (line 17)".
  std::string text() const { return what + " (line " + std::to_string(line) + ")"; }
};

/// The documents, without those that are empty. Plain scalars are what Kubernetes' own reader takes them for (YAML 1.1:
/// `yes` is true, `0644` is 420); in quotes they are texts.
std::variant<json::Array, Error> parse(std::string_view text, const Limits& limits = {});

/// One document as people write it, with an end of line behind it. `parse` reads the same value.
std::string write(const json::Value& value);

}  // namespace podfence::rules::yaml
