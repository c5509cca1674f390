#pragma once
// The small language of the tests of Dockerfiles: what a text becomes, or by which rule it is refused.

#include <string>
#include <string_view>
#include <vector>

#include "rules/dockerfile/dockerfile.hpp"

namespace podfence::tests::dockerfile {

using namespace podfence::rules;
using namespace podfence::rules::dockerfile;

inline constexpr EngineVersion podman_4{4, 3}, podman_5{5, 4};

inline Options options(EngineVersion engine = podman_5) {
  Options options;
  options.label_key = "appx.project";
  options.label_value = "p1";
  options.engine = engine;
  options.cache_prefix = "podfence.p1.";
  return options;
}

/// An id for a name: of localhost/bb bbbb..., of others made from the first letter. An id stays.
inline std::string id(std::string_view name) {
  constexpr std::string_view digits = "0123456789acdef";
  if (name.size() == 64) return std::string(name);
  return std::string(
      64, name.starts_with("localhost/bb") ? 'b' : digits[static_cast<unsigned char>(name[0]) % digits.size()]);
}

/// The canonical text, or "rule: subject".
inline std::string canonical(std::string_view text, const Options& options,
                             const std::vector<std::string>& behind_from = {}) {
  const auto say = [](const Deny& denied) { return std::string(denied.rule->id) + ": " + denied.subject; };
  const auto file = parse(text, options);
  if (const auto* denied = std::get_if<Deny>(&file)) return say(*denied);
  std::map<Image, std::string> ids;
  for (const auto& image : images(std::get<File>(file))) ids[image] = id(image.name);
  const auto written = write(std::get<File>(file), ids, behind_from);
  if (const auto* denied = std::get_if<Deny>(&written)) return say(*denied);
  return std::get<std::string>(written);
}

/// Behind "FROM localhost/bb", whose line is left out of the answer.
inline std::string below(std::string_view lines, const Options& options) {
  const std::string from = "FROM " + std::string(64, 'b') + "\n";
  auto text = canonical("FROM localhost/bb\n" + std::string(lines), options);
  return text.starts_with(from) ? text.substr(from.size()) : text;
}
inline std::string below(std::string_view lines, EngineVersion engine = podman_5) {
  return below(lines, options(engine));
}

/// The rule alone.
inline std::string rule_of(const std::string& answer) { return answer.substr(0, answer.find(':')); }

/// The names of the images, in order.
inline std::vector<std::string> names(std::string_view text, const Options& options) {
  const auto file = parse(text, options);
  if (const auto* denied = std::get_if<Deny>(&file)) return {std::string(denied->rule->id)};
  std::vector<std::string> names;
  for (const auto& image : images(std::get<File>(file))) names.push_back(image.name);
  return names;
}

}  // namespace podfence::tests::dockerfile
