#include "rules/dockerfile/substitution.hpp"

#include "rules/ascii.hpp"

namespace podfence::rules::dockerfile {

namespace {

constexpr std::size_t max_value = 4096;
constexpr int max_depth = 16;

class Expansion {
 public:
  Expansion(std::string_view word, const Variables* variables) : word_(word), variables_(variables) {}

  std::optional<std::string> text() {
    auto text = until('\0');
    if (failed_ || at_ != word_.size()) return std::nullopt;
    return text;
  }

 private:
  bool at_end() const { return at_ >= word_.size(); }
  char peek() const { return at_end() ? '\0' : word_[at_]; }
  char next() { return at_end() ? '\0' : word_[at_++]; }
  std::string fail() {
    failed_ = true;
    return {};
  }

  /// processStopOn: to the end of the word, or to the bracket that closes `${...}`.
  std::string until(char stop) {
    if (++depth_ > max_depth) return fail();
    std::string text;
    while (!at_end() && !failed_ && peek() != stop) {
      const char c = next();
      if (c == '\'')
        text += single_quoted();
      else if (c == '"')
        text += double_quoted();
      else if (c == '$')
        text += dollar();
      else if (c != '\\')
        text += c;
      else if (!at_end())
        text += next();
      if (text.size() > max_value) return fail();
    }
    --depth_;
    if (stop != '\0' && next() != stop) return fail();
    return text;
  }

  std::string single_quoted() {
    const auto end = word_.find('\'', at_);
    if (end == std::string_view::npos) return fail();
    const auto text = word_.substr(at_, end - at_);
    at_ = end + 1;
    return std::string(text);
  }

  std::string double_quoted() {
    std::string text;
    while (!at_end() && !failed_ && text.size() <= max_value) {
      char c = next();
      if (c == '"') return text;
      if (c == '$') {
        text += dollar();
        continue;
      }
      // At the end of the word it is dropped, and the quote is open.
      if (c == '\\' && (peek() == '"' || peek() == '$' || peek() == '\\')) c = next();
      text += c;
    }
    return fail();
  }

  std::string dollar() {
    if (peek() != '{') {
      const auto name = variable_name();
      return name.empty() ? "$" : value_of(name);
    }
    next();
    const auto name = variable_name();
    const char c = next();
    if (c == '}') return value_of(name);
    if (c != ':') return fail();
    const char modifier = next();
    const auto other = until('}');
    const auto value = failed_ ? std::string() : value_of(name);
    if (modifier == '+') return value.empty() ? value : other;
    if (modifier == '-') return value.empty() ? other : value;
    return fail();
  }

  /// Letters, digits and '_'; a digit in front stands for itself alone.
  std::string variable_name() {
    const auto begin = at_;
    if (ascii::is_digit(peek())) return std::string(1, next());
    while (ascii::is_alphanumeric(peek()) || peek() == '_') ++at_;
    // Letters beyond ASCII would belong to it.
    if (!at_end() && (peek() & '\x80')) return fail();
    return std::string(word_.substr(begin, at_ - begin));
  }

  std::string value_of(const std::string& name) {
    const auto value = variables_ ? variables_->find(name) : std::nullopt;
    return value ? *value : fail();
  }

  std::string_view word_;
  const Variables* variables_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace

std::optional<std::string> Variables::limited(std::optional<std::string> value) {
  return value && value->size() > max_value ? std::nullopt : value;
}

std::optional<std::string> Variables::find(const std::string& name) const {
  if (const auto found = environment_.find(name); found != environment_.end()) return found->second;
  if (const auto found = arguments_.find(name); found != arguments_.end()) return found->second;
  return closed_ ? std::optional(std::string()) : std::nullopt;
}

std::optional<std::string> Variables::argument(const std::string& name) const {
  const auto found = arguments_.find(name);
  return found == arguments_.end() ? std::nullopt : found->second;
}

std::optional<std::string> substitute(std::string_view word, const Variables& variables) {
  return Expansion(word, &variables).text();
}

bool is_literal(std::string_view word) { return Expansion(word, nullptr).text().has_value(); }

}  // namespace podfence::rules::dockerfile
