#include "rules/dockerfile/words.hpp"

#include "rules/dockerfile/characters.hpp"
#include "rules/json.hpp"

namespace podfence::rules::dockerfile {

namespace {

/// One pass over the text, as parseWords goes: a word ends at white space, unless a quote is open.
class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  std::vector<std::string> words() {
    while (at_ < text_.size()) step();
    end_word();
    return std::move(words_);
  }

 private:
  void step() {
    const auto character = character_at(text_, at_);
    if (!quote_ && is_space(character.code)) {
      end_word();
      at_ += character.size;
      return;
    }
    in_word_ = true;
    if (character.code == '\\' && quote_ != '\'') {
      escape();
      return;
    }
    if (quote_ && character.code == quote_)
      quote_ = 0;
    else if (!quote_ && (character.code == '"' || character.code == '\''))
      quote_ = character.code;
    take(character.size);
  }

  /// The backslash and what it escapes, quotes included; at the very end it is dropped.
  void escape() {
    if (at_ + 1 == text_.size()) {
      ++at_;
      return;
    }
    take(1);
    take(character_at(text_, at_).size);
  }

  void take(std::size_t bytes) {
    word_ += text_.substr(at_, bytes);
    at_ += bytes;
  }

  void end_word() {
    if (in_word_ && !word_.empty()) words_.push_back(std::move(word_));
    word_.clear();
    in_word_ = false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  char32_t quote_ = 0;
  bool in_word_ = false;
  std::string word_;
  std::vector<std::string> words_;
};

}  // namespace

std::vector<std::string> split_words(std::string_view rest) { return Splitter(rest).words(); }

std::vector<std::string> split_blanks(std::string_view rest) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < rest.size();) {
    const auto end = std::min(rest.find_first_of(blanks, at), rest.size());
    words.emplace_back(rest.substr(at, end - at));
    at = std::min(rest.find_first_not_of(blanks, end), rest.size());
  }
  return words;
}

std::optional<std::vector<std::pair<std::string, std::string>>> name_values(std::string_view rest) {
  std::vector<std::pair<std::string, std::string>> pairs;
  const auto words = split_words(rest);
  if (words.empty()) return std::nullopt;
  if (words.front().find('=') == std::string::npos) {
    const auto end = rest.find_first_of(blanks);
    if (end == std::string_view::npos) return std::nullopt;
    pairs.emplace_back(rest.substr(0, end), rest.substr(rest.find_first_not_of(blanks, end)));
    return pairs;
  }
  for (const auto& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos) return std::nullopt;
    pairs.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return pairs;
}

std::optional<std::vector<std::string>> json_list(std::string_view rest) {
  if (!rest.starts_with('[')) return std::nullopt;
  const auto parsed = json::parse(rest);
  const auto* value = std::get_if<json::Value>(&parsed);
  if (!value || !value->items()) return std::nullopt;
  std::vector<std::string> list;
  for (const auto& item : *value->items()) {
    if (!item.string()) return std::nullopt;
    list.push_back(*item.string());
  }
  return list;
}

bool begins_as_list(std::string_view rest) {
  if (!rest.starts_with('[')) return false;
  const auto next = rest.find_first_not_of(" \t", 1);
  return next == std::string_view::npos || rest[next] == '"' || rest[next] == ']';
}

}  // namespace podfence::rules::dockerfile
