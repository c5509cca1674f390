#pragma once
// Which project a request is for, where a control plane does not say it: by what the request names, by the label of
// what it makes, or by nothing at all. The request is then judged as that project's own.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/endpoint.hpp"
#include "rules/facts.hpp"

namespace podfence::rules {

enum class Belonging {
  Anybody,  ///< it is about the engine: ping and version
  Named,    ///< to whom the object of the path belongs
  Label,    ///< the content labels what is made
  List,     ///< to each of them: the answers are joined
  Unknown,
};
Belonging belonging_of(const Match& match);

/// What the label in a create's content says, "" for nothing.
std::string_view stated_project(std::string_view label_key, const json::Value& content);

/// To which of the projects the object belongs that the path names: their ids, none for an absent object or anybody
/// else's. `facts` are of one of the projects. nullopt: noted as questions.
std::optional<std::vector<std::string>> owners_of(const Match& match, Facts& facts,
                                                  std::span<const std::string> projects);

/// One list out of several. nullopt: one of them is none.
std::optional<std::string> joined(std::span<const std::string> lists);

}  // namespace podfence::rules
