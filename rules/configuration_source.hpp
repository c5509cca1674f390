#pragma once
// The texts that a configuration comes from, the file itself and the policy files that it names, and how the policy of
// one project is put together from them.

#include <functional>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "rules/configuration.hpp"
#include "rules/json.hpp"
#include "rules/json_schema.hpp"

namespace podfence::rules {

struct Source {
  std::string file;   ///< "" is the configuration itself
  std::string plain;  ///< without comments
  json::Value value;
};

/// What has the form that the schema demands.
std::variant<Source, ConfigurationError> read_source(std::string file, std::string_view text,
                                                     const json::Schema& schema);

ConfigurationError error_at(const Source& source, std::string where, std::string what);

/// A policy, or a part of one, within a source.
struct Layer {
  const Source* source;
  std::string at;  ///< JSON pointer
  const json::Value* value;
};

/// The lowest first: what a higher one says counts.
using Layers = std::vector<Layer>;

/// `whose`: " (for the project p1)", for what the project does not say itself.
ConfigurationError error_within(std::span<const Layer> layers, const std::string& where, std::string what,
                                const std::string& whose);

std::variant<Policy, ConfigurationError> policy_of(std::span<const Layer> layers, const std::string& whose);

/// The policy files that were named so far.
class PolicyShelf {
 public:
  explicit PolicyShelf(PolicyFiles files) : files_(std::move(files)) {}

  /// Of those that were read.
  std::vector<std::string> paths() const;

  void set_directory(std::string directory) { files_.directory = std::move(directory); }

  /// What is wrong with the name alone, "" for nothing.
  static std::string wrong_with_name(const std::string& name);

  /// A text is what is wrong with the place that names the file; an error lies in the file.
  std::variant<const Source*, std::string, ConfigurationError> find(const std::string& name);

 private:
  PolicyFiles files_;
  std::map<std::string, Source> sources_;
};

}  // namespace podfence::rules
