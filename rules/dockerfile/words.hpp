#pragma once
// The arguments of an instruction as imagebuilder/dockerfile/parser/line_parsers.go splits them.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace podfence::rules::dockerfile {

/// parseWords: at white space outside quotes; quotes and backslashes stay in the words.
std::vector<std::string> split_words(std::string_view rest);

/// tokenWhitespace.Split
std::vector<std::string> split_blanks(std::string_view rest);

/// parseNameVal, for ENV and LABEL: `a=b c=d`, or the old `a b`. nullopt: neither. Nothing is unquoted.
std::optional<std::vector<std::pair<std::string, std::string>>> name_values(std::string_view rest);

/// parseJSON: a list of strings. Podman's decoder takes one with anything behind it; that is no list here.
std::optional<std::vector<std::string>> json_list(std::string_view rest);

/// Does it begin as a list of strings does, so that it must be one?
bool begins_as_list(std::string_view rest);

}  // namespace podfence::rules::dockerfile
