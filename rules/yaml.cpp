#include "rules/yaml.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <sstream>
#include <vector>

#include "rules/ascii.hpp"
#include "rules/utf8.hpp"
#include "rules/yaml_scalar.hpp"

namespace podfence::rules::yaml {

namespace {

/// Thrown out of yaml-cpp, and caught in parse().
struct Refused {
  Error error;
};

std::size_t line_of(const YAML::Mark& mark) { return static_cast<std::size_t>(std::max(mark.line, 0)) + 1; }

[[noreturn]] void refuse(const YAML::Mark& mark, std::string what) { throw Refused{{std::move(what), line_of(mark)}}; }
[[noreturn]] void exceed(const YAML::Mark& mark, std::string what) {
  throw Refused{{std::move(what), line_of(mark), true}};
}

/// Builds the value of one document. yaml-cpp calls it for every node; it keeps nothing itself.
class Builder final : public YAML::EventHandler {
 public:
  Builder(std::string_view text, const Limits& limits) : text_(text), limits_(limits) {}

  json::Array take() { return std::move(documents_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    // yaml-cpp would take what stands behind the end of one document for the next.
    if (!begun_.is_null() && !begins_document(mark)) refuse(mark, "a document without --- in front of it");
    begun_ = mark;
    root_ = {};
  }
  void OnDocumentEnd() override {
    if (root_.is_null()) return;
    if (documents_.size() == limits_.documents) exceed(begun_, "more documents than are read");
    documents_.push_back(std::move(root_));
  }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check(mark, anchor, "?");
    if (wants_key()) refuse(mark, "a key that is no text");
    add(mark, {});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse(mark, "an alias"); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    const bool quoted = tag == "!";
    check(mark, anchor, quoted ? "?" : tag);
    if (text.find('\0') != std::string::npos || !is_utf8(text)) refuse(mark, "a character that is none");
    if (wants_key()) return take_key(mark, text, quoted);
    auto value = quoted ? json::Value(text) : plain_scalar(text);
    if (!value) refuse(mark, "a number that is read in more than one way: write it in quotes, or plainly");
    add(mark, *std::move(value));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin(mark, tag, anchor, json::Value::array());
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    begin(mark, tag, anchor, json::Value::object());
  }
  void OnMapEnd() override { end(); }

 private:
  struct Level {
    json::Value value;
    std::string key;
    bool has_key = false;
    std::set<std::string> names;
  };

  bool begins_document(const YAML::Mark& mark) const {
    return mark.pos >= 0 && text_.substr(std::min(static_cast<std::size_t>(mark.pos), text_.size())).starts_with("---");
  }

  bool wants_key() const { return !levels_.empty() && levels_.back().value.members() && !levels_.back().has_key; }

  void check(const YAML::Mark& mark, YAML::anchor_t anchor, std::string_view tag) {
    if (anchor != YAML::NullAnchor) refuse(mark, "an anchor");
    if (tag != "?" && !tag.empty()) refuse(mark, "a tag");
    if (++nodes_ > limits_.nodes) exceed(mark, "more values than are read");
  }

  void take_key(const YAML::Mark& mark, const std::string& text, bool quoted) {
    Level& level = levels_.back();
    if (!quoted && text == "<<") refuse(mark, "a merge key");
    const auto value = quoted ? json::Value(text) : plain_scalar(text);
    if (!value || !value->string()) refuse(mark, "a key that is no text: write it in quotes");
    if (!level.names.insert(text).second) refuse(mark, "a key that stands twice in one map");
    if (level.names.size() > limits_.names) exceed(mark, "a map with more keys than are read");
    level.key = text;
    level.has_key = true;
  }

  void begin(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, json::Value value) {
    check(mark, anchor, tag);
    if (wants_key()) refuse(mark, "a key that is no text");
    if (levels_.size() == limits_.depth) exceed(mark, "deeper nesting than is read");
    levels_.push_back({std::move(value), {}, false, {}});
  }

  void end() {
    json::Value value = std::move(levels_.back().value);
    levels_.pop_back();
    add(begun_, std::move(value));
  }

  void add(const YAML::Mark& mark, json::Value value) {
    if (levels_.empty()) {
      root_ = std::move(value);
      return;
    }
    Level& level = levels_.back();
    if (level.value.items()) return level.value.push(std::move(value));
    if (!level.has_key) refuse(mark, "a value without a key");
    level.value.members()->push_back({std::move(level.key), std::move(value)});
    level.has_key = false;
  }

  std::string_view text_;
  const Limits& limits_;
  YAML::Mark begun_ = YAML::Mark::null_mark();
  json::Value root_;
  std::vector<Level> levels_;
  json::Array documents_;
  std::size_t nodes_ = 0;
};

std::size_t line_at(std::string_view text, std::size_t at) {
  return 1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

/// What is looked at before yaml-cpp is: it would guess another encoding, and follow %TAG.
std::optional<Error> check_text(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.find(byte_order_mark) != std::string_view::npos) return Error{"a byte order mark", 1};
  if (!is_utf8(text)) return Error{"text that is not UTF-8", 1};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool begins_line = i == 0 || text[i - 1] == '\n' || text[i - 1] == '\r';
    if (c == '%' && begins_line) return Error{"a directive", line_at(text, i)};
    if (ascii::is_control(c) && c != '\n' && c != '\t' && c != '\r')
      return Error{"a control character", line_at(text, i)};
  }
  return std::nullopt;
}

}  // namespace

std::variant<json::Array, Error> parse(std::string_view text, const Limits& limits) {
  if (text.size() > limits.bytes) return Error{"a longer text than is read", 1, true};
  if (auto error = check_text(text)) return *std::move(error);
  std::istringstream stream{std::string(text)};
  Builder builder(text, limits);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Refused& refused) {
    return refused.error;
  } catch (const YAML::Exception& error) {
    return Error{"text that is not well formed: " + error.msg, line_of(error.mark)};
  }
  return builder.take();
}

}  // namespace podfence::rules::yaml
