// The reader of RapidJSON is used as a stream of events, never its document: its document turns kept
// number texts into strings, keeps repeated names silently, and recurses as deep as the text says.

#include "rules/json.hpp"

#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <bitset>
#include <limits>
#include <memory>
#include <numeric>
#include <span>

#include "rules/plain_steps.hpp"
#include "rules/utf8.hpp"

namespace {

/// The reader looks at so many bytes behind the end of its copy.
constexpr std::size_t looked_at_behind = 16;

}  // namespace

// The library's own place for taking many characters at once. Its code for that, for one kind of processor, lets some
// control characters through (1.1.0: RAPIDJSON_SSE2). The copy ends in NUL, which is less than a space.
template <>
template <>
inline void rapidjson::Reader::ScanCopyUnescapedString(InsituStringStream& from, InsituStringStream& to) {
  if (from.src_ != from.dst_) return;  // behind an escape
  from.src_ += podfence::rules::plain_steps<podfence::rules::Plain::InJson>(from.src_,
                                                                            std::numeric_limits<std::ptrdiff_t>::max());
  to.dst_ = from.src_;
}

namespace podfence::rules::json {

namespace {

/// A name for an error message: short, and never cut inside a character.
std::string quoted(std::string_view name) {
  constexpr std::size_t shown = 64;
  if (name.size() <= shown) return "\"" + std::string(name) + "\"";
  std::size_t end = shown;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
  return "\"" + std::string(name.substr(0, end)) + "...\"";
}

/// The bytes ED A0..BF, which no valid UTF-8 has. Raw ones are refused by the reader; a lone `\udc00` passes the reader
/// of RapidJSON 1.1.0 even when it validates, and comes out as these.
bool holds_surrogate(std::string_view text) {
  for (std::size_t at = text.find('\xED'); at != std::string_view::npos; at = text.find('\xED', at + 1))
    if (at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) >= 0xA0) return true;
  return false;
}

/// Takes the reader's events and builds the value. Returning false ends the reading; `error` then says why.
template <class Stream>
class Builder {
 public:
  Builder(Stream& stream, std::size_t size, const Limits& limits, bool checks_texts)
      : stream_(stream), limits_(limits), checks_texts_(checks_texts) {
    members_.reserve(std::min(size / usual_member, few_names));
  }

  bool Null() { return add(Value()); }
  bool Bool(bool value) { return add(Value(value)); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) { return add(Number{std::string(text, size)}); }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    const std::string_view view(text, size);
    return check_text(view) && add(Value(view));
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    const std::string_view name(text, size);
    if (members_.size() - open_.back().begin == limits_.names)
      return exceeds("an object has more than " + std::to_string(limits_.names) + " names");
    if (!check_text(name)) return false;
    members_.push_back({std::string(name), {}});
    if (!limits_.trusted) names_at_.push_back(stream_.Tell());
    return true;
  }
  bool StartObject() { return open({true, members_.size()}); }
  bool StartArray() { return open({false, items_.size()}); }
  bool EndObject(rapidjson::SizeType) {
    const std::span made(members_.begin() + static_cast<std::ptrdiff_t>(open_.back().begin), members_.end());
    return settle_repeated(made) && close(members_);
  }
  bool EndArray(rapidjson::SizeType) { return close(items_); }

  // Never called: the reader is told to keep number texts. Its template wants them all the same.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }

  Error error;
  Value root;

 private:
  struct Open {
    bool object;
    std::size_t begin;  ///< of its members or items among all
  };

  bool fail(std::string what) { return fail(std::move(what), stream_.Tell()); }
  bool fail(std::string what, std::size_t at) {
    error = {std::move(what), at};
    return false;
  }

  bool exceeds(std::string what) {
    error = {std::move(what), stream_.Tell(), true};
    return false;
  }

  bool check_text(std::string_view text) {
    if (!checks_texts_) return true;
    if (text.find('\0') != std::string_view::npos) return fail("a text holds NUL");
    if (holds_surrogate(text)) return fail("a text holds half of a surrogate pair");
    return true;
  }

  bool add(Value value) {
    if (open_.empty())
      root = std::move(value);
    else if (open_.back().object)
      members_.back().value = std::move(value);
    else
      items_.push_back(std::move(value));
    return true;
  }

  bool open(Open container) {
    if (open_.size() == limits_.depth) return exceeds("the nesting is deeper than " + std::to_string(limits_.depth));
    open_.push_back(container);
    return true;
  }

  /// What was made since it was opened goes into it, and takes no more memory than it needs.
  template <typename Made>
  bool close(Made& made) {
    const auto begin = made.begin() + static_cast<std::ptrdiff_t>(open_.back().begin);
    Made content(std::make_move_iterator(begin), std::make_move_iterator(made.end()));
    made.erase(begin, made.end());
    open_.pop_back();
    return add(std::move(content));
  }

  /// Sorted, not compared pairwise: an object with many names must not cost the square of their number. Of a trusted
  /// text the last one counts, as for Go.
  bool settle_repeated(std::span<Member> object) {
    if (object.size() > few_names || !all_differ(object)) {
      std::vector<std::size_t> order(object.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const int names = object[a].name.compare(object[b].name);
        return names != 0 ? names < 0 : a < b;
      });
      if (!settle_repeated(object, order)) return false;
    }
    if (!limits_.trusted) names_at_.resize(open_.back().begin);
    return true;
  }

  bool settle_repeated(std::span<Member> object, const std::vector<std::size_t>& order) {
    std::vector<bool> superseded;
    for (std::size_t place = 1; place < order.size(); ++place) {
      if (object[order[place - 1]].name != object[order[place]].name) continue;
      if (!limits_.trusted)
        return fail("the name " + quoted(object[order[place]].name) + " stands twice in one object",
                    names_at_[open_.back().begin + order[place]]);
      superseded.resize(object.size());
      superseded[order[place - 1]] = true;
    }
    if (superseded.empty()) return true;
    std::size_t kept = 0;
    for (std::size_t index = 0; index < object.size(); ++index)
      if (!superseded[index]) std::swap(object[kept++], object[index]);
    members_.resize(open_.back().begin + kept);
    return true;
  }

  /// Few names are told apart by a mark of each; those with the mark of another are compared with all before them.
  static bool all_differ(std::span<const Member> object) {
    std::bitset<1024> marks;
    for (std::size_t i = 0; i < object.size(); ++i) {
      const std::string& name = object[i].name;
      auto mark = name.empty() ? marks[0] : marks[mark_of(name)];
      if (mark && std::any_of(object.begin(), object.begin() + static_cast<std::ptrdiff_t>(i),
                              [&](const Member& other) { return other.name == name; }))
        return false;
      mark = true;
    }
    return true;
  }

  static std::size_t mark_of(const std::string& name) {
    const auto at = [&](std::size_t place) { return static_cast<unsigned char>(name[place]); };
    return (name.size() * 331 + at(0) * 31u + at(name.size() / 2) * 7u + at(name.size() - 1)) % 1024;
  }

  static constexpr std::size_t few_names = 80;
  static constexpr std::size_t usual_member = 32;  ///< bytes of text

  Stream& stream_;
  const Limits& limits_;
  const bool checks_texts_;
  std::vector<Open> open_;
  Object members_;                     ///< of the open objects
  Array items_;                        ///< of the open arrays
  std::vector<std::size_t> names_at_;  ///< behind the name of each member, unless trusted
};

/// What came of reading, and what was built.
struct Reading {
  rapidjson::ParseResult result;
  Error error;
  Value root;
};

template <unsigned flags, class Stream>
Reading read(Stream& stream, Builder<Stream> builder) {
  rapidjson::Reader reader;
  const auto result = reader.Parse<flags | rapidjson::kParseNumbersAsStringsFlag>(stream, builder);
  return {result, std::move(builder.error), std::move(builder.root)};
}

/// Where the reader decodes strings in place.
struct Copy {
  explicit Copy(std::string_view text)
      : bytes(std::make_unique_for_overwrite<char[]>(text.size() + looked_at_behind)), stream(bytes.get()) {
    std::fill_n(bytes.get() + text.copy(bytes.get(), text.size()), looked_at_behind, '\0');
  }

  std::unique_ptr<char[]> bytes;
  rapidjson::InsituStringStream stream;
};

/// A text that is fine is read in a copy, which is faster; of another one this tells what is wrong, and where.
Reading read_foreign(std::string_view text, const Limits& limits) {
  if (is_utf8(text)) {
    Copy copy(text);
    constexpr unsigned flags = rapidjson::kParseIterativeFlag | rapidjson::kParseInsituFlag;
    const bool escapes = text.find('\\') != std::string_view::npos;  // else nothing makes a NUL or half of a pair
    auto reading = read<flags>(copy.stream, Builder(copy.stream, text.size(), limits, escapes));
    if (!reading.result.IsError()) return reading;
  }
  rapidjson::MemoryStream stream(text.data(), text.size());
  return read<rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag>(
      stream, Builder(stream, text.size(), limits, true));
}

/// It recurses no deeper than the limit, where the builder ends it.
Reading read_trusted(std::string_view text, const Limits& limits) {
  Copy copy(text);
  return read<rapidjson::kParseInsituFlag>(copy.stream, Builder(copy.stream, text.size(), limits, false));
}

std::string syntax_error(const rapidjson::ParseResult& result, std::string_view text) {
  // RapidJSON calls a control character in a string, such as the end of the line, an invalid escape.
  const std::size_t at = result.Offset();
  const bool raw = at < text.size() && static_cast<unsigned char>(text[at]) < ' ';
  if (result.Code() == rapidjson::kParseErrorStringEscapeInvalid && raw)
    return "a string holds a control character, or has no end";
  if (result.Code() == rapidjson::kParseErrorObjectMissName)
    return "a name in double quotes is missing (behind the last member of an object stands no comma)";
  if (result.Code() == rapidjson::kParseErrorValueInvalid)
    return "a value is missing, or none of JSON's (behind the last item of an array stands no comma)";
  std::string_view sentence = rapidjson::GetParseError_En(result.Code());
  if (sentence.ends_with('.')) sentence.remove_suffix(1);  // what is wrong is a phrase, for sentences of ours
  return std::string(sentence);
}

}  // namespace

std::variant<Value, Error> parse(std::string_view text, const Limits& limits) {
  // RapidJSON takes a NUL for the end of the text, whatever length it was told, and ignores the rest.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) return Error{"the text holds NUL", nul};
  auto [result, error, root] = limits.trusted ? read_trusted(text, limits) : read_foreign(text, limits);
  if (!error.what.empty()) return std::move(error);
  if (result.IsError()) return Error{syntax_error(result, text), result.Offset()};
  return std::move(root);
}

}  // namespace podfence::rules::json
