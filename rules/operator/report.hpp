#pragma once
// The operator's answers as text for people, for the commands that ask.

#include <string>

#include "rules/json.hpp"
#include "rules/operator/call.hpp"

namespace podfence::rules {

/// Lines, each with its end. `document` is the answer to that action.
std::string operator_report(OperatorAction action, const json::Value& document);

/// The sentence of an error's document, or the text itself.
std::string operator_failure(std::string_view content);

/// What is to be added: `definition` is a JSON object, "" for one that says nothing; a policy that is named counts
/// beside it. A text that cannot be used is answered by what is wrong with it.
std::variant<json::Value, std::string> stated_definition(std::string_view definition, const std::string& policy);

}  // namespace podfence::rules
