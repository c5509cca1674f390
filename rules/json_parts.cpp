// Walks through an answer to find what is asked about. What is judged, RapidJSON reads; this only tells where values
// end, and whether they are JSON (RFC 8259).

#include "rules/json_parts.hpp"

#include <charconv>

#include "rules/json_plain.hpp"

namespace podfence::rules::json {

namespace {

/// Each step begins at its part of the text, leaves `at_` behind it, and is false where the text is not that.
class Walk {
 public:
  Walk(std::string_view text, const Parts& parts, std::string_view also) : text_(text), parts_(parts), also_(also) {}

  std::optional<Value> text() {
    Value value;
    skip_space();
    if (!read(value)) return std::nullopt;
    skip_space();
    if (at_ != text_.size()) return std::nullopt;
    return value;
  }

  std::size_t at() const { return at_; }

 private:
  /// NUL, which no JSON has, at the end.
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool skip(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  bool skip(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  void skip_space() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\t' || peek() == '\r') ++at_;
  }

  bool skip_digits() {
    const auto begin = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ > begin;
  }

  bool skip_number() {
    skip('-');
    if (!skip('0') && !skip_digits()) return false;
    if (skip('.') && !skip_digits()) return false;
    if (!skip('e') && !skip('E')) return true;
    if (!skip('+')) skip('-');
    return skip_digits();
  }

  std::optional<unsigned> skip_utf16() {
    unsigned unit = 0;
    const auto digits = text_.substr(at_, 4);
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16).ptr;
    if (digits.size() < 4 || end != digits.data() + 4) return std::nullopt;
    at_ += 4;
    return unit;
  }

  bool skip_escape() {
    constexpr std::string_view single = "\"\\/bfnrt";
    if (!skip("\\u")) {
      at_ += 2;
      return at_ <= text_.size() && single.find(text_[at_ - 1]) != std::string_view::npos;
    }
    const auto unit = skip_utf16();
    if (!unit) return false;
    if (*unit < 0xD800 || *unit > 0xDBFF) return true;
    if (!skip("\\u")) return false;
    const auto low = skip_utf16();
    return low && *low >= 0xDC00 && *low <= 0xDFFF;
  }

  bool skip_string() {
    if (!skip('"')) return false;
    plain_ = true;
    while (true) {
      at_ += plain_steps(text_.data() + at_, text_.size() - at_);
      const char c = peek();
      if (static_cast<unsigned char>(c) < ' ') return false;
      if (c == '\\') {
        plain_ = false;
        if (!skip_escape()) return false;
        continue;
      }
      ++at_;
      if (c == '"') return true;
    }
  }

  template <class Part>
  bool walk_container(char end, const Part& part) {
    ++at_;
    if (++depth_ > answer_limits.depth) return false;
    skip_space();
    if (peek() != end) {
      do {
        skip_space();
        if (!part()) return false;
        skip_space();
      } while (skip(','));
    }
    --depth_;
    return skip(end);
  }

  bool skip_value() {
    switch (peek()) {
      case '{':
        return walk_container('}', [&] { return skip_string() && skip_colon() && skip_value(); });
      case '[':
        return walk_container(']', [&] { return skip_value(); });
      case '"':
        return skip_string();
      case 't':
        return skip("true");
      case 'f':
        return skip("false");
      case 'n':
        return skip("null");
      default:
        return skip_number();
    }
  }

  bool skip_colon() {
    skip_space();
    if (!skip(':')) return false;
    skip_space();
    return true;
  }

  bool read_whole(Value& value) {
    const auto begin = at_;
    if (!skip_value()) return false;
    const auto text = text_.substr(begin, at_ - begin);
    if (text.front() == '"' && plain_) {
      value = text.substr(1, text.size() - 2);
      return true;
    }
    auto read = parse(text, answer_limits);
    if (auto* whole = std::get_if<Value>(&read)) value = std::move(*whole);
    return std::holds_alternative<Value>(read);
  }

  /// As it is meant. Lasts until the next one with an escape is read.
  std::optional<std::string_view> read_name() {
    const auto begin = at_;
    if (!skip_string()) return std::nullopt;
    const auto text = text_.substr(begin, at_ - begin);
    if (!skip_colon()) return std::nullopt;
    if (plain_) return text.substr(1, text.size() - 2);
    auto read = parse(text, answer_limits);
    auto* name = std::get_if<Value>(&read);
    if (!name) return std::nullopt;
    decoded_ = std::move(*name->string());
    return decoded_;
  }

  bool read(Value& value) {
    if (peek() == '{') return read_object(value);
    if (peek() != '[') return read_whole(value);
    Array items;
    if (!walk_container(']', [&] { return read(items.emplace_back()); })) return false;
    value = std::move(items);
    return true;
  }

  bool read_object(Value& value) {
    Object members;
    members.reserve(usual_names);
    std::string_view run;
    const auto end_run = [&] {
      if (!run.empty()) members.emplace_back().value = Number{std::string(run)};
      run = {};
    };
    const auto read_member = [&] {
      const auto begin = at_;
      const auto name = read_name();
      if (!name) return false;
      const auto reads = *name == also_ ? Parts::Reads::Whole : parts_.reads(*name);
      if (reads == Parts::Reads::Nothing) {
        if (!skip_value()) return false;
        const auto* first = run.empty() ? text_.data() + begin : run.data();
        run = {first, text_.data() + at_};
        return true;
      }
      end_run();
      for (const auto& member : members)
        if (member.name == *name) return false;
      auto& member = members.emplace_back();
      member.name = *name;
      return reads == Parts::Reads::Whole ? read_whole(member.value) : read(member.value);
    };
    if (!walk_container('}', read_member)) return false;
    end_run();
    value = std::move(members);
    return true;
  }

  static constexpr std::size_t usual_names = 14;  ///< as many as malloc has at hand: a kilobyte

  std::string_view text_;
  const Parts& parts_;
  std::string_view also_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  bool plain_ = false;  ///< the string that was walked over last has no escapes
  std::string decoded_;
};

}  // namespace

std::variant<Value, Error> parse_parts(std::string_view text, const Parts& parts, std::string_view also) {
  Walk walk(text, parts, also);
  if (auto value = walk.text()) return std::move(*value);
  auto whole = parse(text, answer_limits);  // which tells what is wrong
  if (auto* error = std::get_if<Error>(&whole)) return std::move(*error);
  return Error{"a name that is asked about stands twice in one object", walk.at()};
}

}  // namespace podfence::rules::json
