#pragma once
// A JSON text of which only some members are asked about: those are read, and the runs of others between them are kept
// as the text that they are.

#include <algorithm>
#include <bitset>
#include <string_view>
#include <vector>

#include "rules/json.hpp"

namespace podfence::rules::json {

/// Names of members, wherever they stand.
class Parts {
 public:
  /// `whole`: all below them is read; `through`: what is named here is read of it.
  Parts(std::vector<std::string_view> whole, std::vector<std::string_view> through)
      : whole_(std::move(whole)), through_(std::move(through)) {
    for (const auto* names : {&whole_, &through_})
      for (const auto name : *names) marks_.set(mark(name));
  }

  bool is_whole(std::string_view name) const { return std::ranges::find(whole_, name) != whole_.end(); }
  bool wants(std::string_view name) const {
    return marks_[mark(name)] && (is_whole(name) || std::ranges::find(through_, name) != through_.end());
  }

 private:
  /// Most names have none of the marks of those that are asked about.
  static std::size_t mark(std::string_view name) {
    if (name.empty()) return 0;
    return (name.size() + 5u * static_cast<unsigned char>(name.front()) +
            11u * static_cast<unsigned char>(name.back())) %
           256;
  }

  std::vector<std::string_view> whole_;
  std::vector<std::string_view> through_;
  std::bitset<256> marks_;
};

/// Of an answer of upstream's (answer_limits). The whole text is checked to be JSON. A run of members that are not
/// asked about stands in its object as one member without a name, whose number is their text; `write` writes it as it
/// is. Refuses a name that is asked about and stands twice in one object.
std::variant<Value, Error> parse_parts(std::string_view text, const Parts& parts);

/// A number never begins with a quote.
inline bool is_run(const Member& member) {
  const Number* text = member.name.empty() ? member.value.number() : nullptr;
  return text && text->text.starts_with('"');
}

}  // namespace podfence::rules::json
