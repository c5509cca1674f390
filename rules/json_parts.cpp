// Walks through an answer to find what is asked about. What it says in plain words is taken as it stands; escapes and
// whatever else is rare, RapidJSON reads (RFC 8259).

#include "rules/json_parts.hpp"

#include <charconv>

#include "rules/plain_steps.hpp"

namespace podfence::rules::json {

namespace {

/// A place in the text; nullptr: it is not JSON there.
using At = const char*;

/// Each step takes the place where its part of the text begins, and gives the one behind it.
class Walk {
 public:
  Walk(std::string_view text, const Parts& parts, std::string_view also)
      : begin_(text.data()), end_(text.data() + text.size()), parts_(parts), also_(also) {}

  std::optional<Value> text() {
    Value value;
    At at = read(skip_space(begin_), value, false);
    if (!at || skip_space(at) != end_) return std::nullopt;
    return value;
  }

  /// Of a name that stands twice.
  std::size_t repeated_at() const { return repeated_ ? static_cast<std::size_t>(repeated_ - begin_) : 0; }

 private:
  std::string_view rest(At at) const { return {at, static_cast<std::size_t>(end_ - at)}; }

  /// NUL, which no JSON has, at the end.
  char peek(At at) const { return at != end_ ? *at : '\0'; }

  At skip(At at, char c) const { return peek(at) == c ? at + 1 : nullptr; }

  At skip(At at, std::string_view word) const { return rest(at).starts_with(word) ? at + word.size() : nullptr; }

  At skip_space(At at) const {
    while (at != end_ && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')) ++at;
    return at;
  }

  At skip_if(At at, char c) const { return peek(at) == c ? at + 1 : at; }

  At skip_digits(At at) const {
    const At begin = at;
    while (peek(at) >= '0' && peek(at) <= '9') ++at;
    return at != begin ? at : nullptr;
  }

  At skip_number(At at) const {
    at = skip_if(at, '-');
    at = peek(at) == '0' ? at + 1 : skip_digits(at);
    if (at && peek(at) == '.') at = skip_digits(at + 1);
    if (!at || (peek(at) != 'e' && peek(at) != 'E')) return at;
    ++at;
    return skip_digits(peek(at) == '+' ? at + 1 : skip_if(at, '-'));
  }

  At skip_utf16(At at, unsigned& unit) const {
    const auto digits = rest(at).substr(0, 4);
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16).ptr;
    return digits.size() == 4 && end == at + 4 ? end : nullptr;
  }

  /// At its backslash.
  At skip_escape(At at) const {
    constexpr std::string_view single = "\"\\/bfnrt";
    const char kind = peek(at + 1);
    if (kind != 'u') return kind != '\0' && single.find(kind) != std::string_view::npos ? at + 2 : nullptr;
    unsigned unit = 0;
    at = skip_utf16(at + 2, unit);
    if (!at || unit < 0xD800 || unit > 0xDBFF) return at;
    at = skip(at, "\\u");
    if (at) at = skip_utf16(at, unit);
    return at && unit >= 0xDC00 && unit <= 0xDFFF ? at : nullptr;
  }

  At skip_string(At at) {
    if (peek(at) != '"') return nullptr;
    ++at;
    at += plain_steps<Plain::InJson>(at, static_cast<std::size_t>(end_ - at));
    plain_ = peek(at) == '"';
    return plain_ ? at + 1 : skip_odd_string(at);
  }

  /// Behind its begin. Apart from what most strings are, which takes a few registers only.
  [[gnu::noinline]] At skip_odd_string(At at) {
    plain_ = true;
    while (true) {
      const char c = peek(at);
      if (c == '"') return at + 1;
      if (static_cast<unsigned char>(c) < ' ') return nullptr;
      if (c == '\\') {
        plain_ = false;
        at = skip_escape(at);
        if (!at) return nullptr;
      } else {
        ++at;
      }
      at += plain_steps<Plain::InJson>(at, static_cast<std::size_t>(end_ - at));
    }
  }

  At skip_colon(At at) const {
    at = skip(skip_space(at), ':');
    return at ? skip_space(at) : nullptr;
  }

  /// At the bracket that it begins with.
  template <class Part>
  At walk_container(At at, char end, const Part& part) {
    if (++depth_ > answer_limits.depth) return nullptr;
    at = skip_space(at + 1);
    if (peek(at) != end) {
      while (true) {
        at = part(at);
        if (!at) return nullptr;
        at = skip_space(at);
        if (peek(at) != ',') break;
        at = skip_space(at + 1);
      }
    }
    --depth_;
    return skip(at, end);
  }

  At skip_member(At at) {
    at = skip_string(at);
    if (at) at = skip_colon(at);
    return at ? skip_value(at) : nullptr;
  }

  At skip_value(At at) {
    switch (peek(at)) {
      case '{':
        return walk_container(at, '}', [this](At part) { return skip_member(part); });
      case '[':
        return walk_container(at, ']', [this](At part) { return skip_value(part); });
      case '"':
        return skip_string(at);
      case 't':
        return skip(at, "true");
      case 'f':
        return skip(at, "false");
      case 'n':
        return skip(at, "null");
      default:
        return skip_number(at);
    }
  }

  /// By RapidJSON: what is written in a way that is rare here.
  At read_odd(At at, At end, Value& value) const {
    auto read = parse({at, static_cast<std::size_t>(end - at)}, answer_limits);
    auto* whole = std::get_if<Value>(&read);
    if (!whole) return nullptr;
    value = std::move(*whole);
    return end;
  }

  At read_string(At at, Value& value) {
    const At end = skip_string(at);
    if (!end) return nullptr;
    if (!plain_) return read_odd(at, end, value);
    value.become({at + 1, static_cast<std::size_t>(end - at) - 2});
    return end;
  }

  At read_scalar(At at, Value& value) {
    const At end = skip_value(at);
    if (!end) return nullptr;
    if (*at == 't' || *at == 'f')
      value = *at == 't';
    else if (*at != 'n')
      value = Number{std::string(at, end)};
    return end;
  }

  /// `name`: as it is meant. Lasts until the next one with an escape is read.
  At read_name(At at, std::string_view& name) {
    const At end = skip_string(at);
    if (!end) return nullptr;
    name = {at + 1, static_cast<std::size_t>(end - at) - 2};
    if (!plain_) {
      auto read = parse({at, static_cast<std::size_t>(end - at)}, answer_limits);
      auto* meant = std::get_if<Value>(&read);
      if (!meant) return nullptr;
      decoded_ = std::move(*meant->string());
      name = decoded_;
    }
    return skip_colon(end);
  }

  /// `whole`: or what is asked about of it.
  At read(At at, Value& value, bool whole) {
    switch (peek(at)) {
      case '{':
        return whole ? read_object(at, value) : read_parts(at, value);
      case '[':
        return read_array(at, value, whole);
      case '"':
        return read_string(at, value);
      default:
        return read_scalar(at, value);
    }
  }

  At read_array(At at, Value& value, bool whole) {
    Array& items = value.become_array();
    return walk_container(at, ']', [&](At part) { return read(part, items.emplace_back(), whole); });
  }

  At read_object(At at, Value& value) {
    Object& members = value.become_object();
    bool differ = true;
    const At end = walk_container(at, '}', [&](At part) -> At {
      std::string_view name;
      part = read_name(part, name);
      if (!part) return nullptr;
      if (members.empty()) members.reserve(usual_names);
      differ = differ && members.size() < most_names && !named(members, name);
      auto& member = members.emplace_back();
      member.name = name;
      return read(part, member.value, true);
    });
    return end && !differ ? read_odd(at, end, value) : end;
  }

  At read_parts(At at, Value& value) {
    Object& members = value.become_object();
    members.reserve(usual_names);
    std::string_view run;
    const auto end_run = [&] {
      if (!run.empty()) members.emplace_back().value = Run{run};
      run = {};
    };
    at = walk_container(at, '}', [&](At begin) -> At {
      std::string_view name;
      const At end = read_name(begin, name);
      if (!end) return nullptr;
      const auto reads = name == also_ ? Parts::Reads::Whole : parts_.reads(name);
      if (reads == Parts::Reads::Nothing) {
        const At behind = skip_value(end);
        if (!behind) return nullptr;
        const At first = run.empty() ? begin : run.data();
        run = {first, static_cast<std::size_t>(behind - first)};
        return behind;
      }
      end_run();
      if (named(members, name)) {
        repeated_ = begin;
        return nullptr;
      }
      auto& member = members.emplace_back();
      member.name = name;
      return read(end, member.value, reads == Parts::Reads::Whole);
    });
    if (at) end_run();
    return at;
  }

  /// Most names differ in their length or their last letter.
  static bool named(const Object& members, std::string_view name) {
    return std::ranges::any_of(members, [&](const Member& each) {
      return each.name.size() == name.size() && (name.empty() || each.name.back() == name.back()) && each.name == name;
    });
  }

  static constexpr std::size_t usual_names = 14;  ///< as many as malloc has at hand: a kilobyte
  static constexpr std::size_t most_names = 80;   ///< that are compared with each other

  const At begin_;
  const At end_;
  const Parts& parts_;
  std::string_view also_;
  std::size_t depth_ = 0;
  bool plain_ = false;  ///< the string that was walked over last has no escapes
  At repeated_ = nullptr;
  std::string decoded_;
};

}  // namespace

std::variant<Value, Error> parse_parts(std::string_view text, const Parts& parts, std::string_view also) {
  Walk walk(text, parts, also);
  if (auto value = walk.text()) return std::move(*value);
  auto whole = parse(text, answer_limits);  // which tells what is wrong
  if (auto* error = std::get_if<Error>(&whole)) return std::move(*error);
  return Error{"a name that is asked about stands twice in one object", walk.repeated_at()};
}

}  // namespace podfence::rules::json
