#include "rules/dockerfile/heredoc.hpp"

#include <algorithm>

#include "rules/ascii.hpp"
#include "rules/dockerfile/instruction.hpp"
#include "rules/dockerfile/refuse.hpp"
#include "rules/dockerfile/words.hpp"

namespace podfence::rules::dockerfile {

namespace {

bool starts_name(char c) { return ascii::is_lower(c) || ascii::is_upper(c) || c == '_'; }
bool is_name(char c) { return starts_name(c) || ascii::is_digit(c); }

/// Walks along the line and keeps account of quotes as BuildKit's shell/lex.go does with RawQuotes and RawEscapes.
class Line {
 public:
  explicit Line(std::string_view text) : text_(text) {}

  /// Every here-document, or nullopt when the line is not plain.
  std::optional<std::vector<Heredoc>> heredocs() {
    while (at_ < text_.size())
      if (!step()) return std::nullopt;
    // A quote that stays open, or a substitution that it does not know, is an error there, and then the line has no
    // here-documents at all.
    if (candidates_ && (quote_ || splits_)) return std::nullopt;
    if (!found_.empty() && may_fail_) return std::nullopt;
    return std::move(found_);
  }

 private:
  bool step() {
    const char c = text_[at_];
    if (quote_ != '\'' && c == '$') note_dollar();
    if (c == '\\' && quote_ != '\'') {
      skip_escaped();
      return true;
    }
    if (quote_) {
      if (c == quote_) quote_ = 0;
      candidates_ |= text_.substr(at_).starts_with("<<");
    } else if (c == '\'' || c == '"') {
      quote_ = c;
    } else if (c == '<') {
      return brackets();
    }
    ++at_;
    return true;
  }

  void skip_escaped() {
    const bool escapes =
        !quote_ || (at_ + 1 < text_.size() && std::string_view("\"$\\").find(text_[at_ + 1]) != std::string_view::npos);
    at_ += escapes ? 2 : 1;
  }

  /// `${NAME}` and what begins no substitution are taken alike by everybody. What others become is split at blanks,
  /// quotes or not, unless the whole is quoted; and quotes within them are counted apart.
  void note_dollar() {
    if (!text_.substr(at_).starts_with("${")) return;
    auto end = at_ + 2;
    while (end < text_.size() && is_name(text_[end])) ++end;
    if (end > at_ + 2 && text_.substr(end).starts_with('}')) return;
    may_fail_ = true;
    if (special_ < end) special_ = std::min(text_.find_first_of("}\"'\\", end), text_.size());
    if (!quote_ || !text_.substr(special_).starts_with('}')) splits_ = true;
  }

  /// A run of '<'. Two of them at the beginning of a word, and a word behind them, are a here-document.
  bool brackets() {
    const auto begin = at_;
    while (at_ < text_.size() && text_[at_] == '<') ++at_;
    if (at_ - begin != 2 || at_ == text_.size() || text_[at_] == ' ' || text_[at_] == '\t') return true;
    auto start = begin;
    while (start > 0 && ascii::is_digit(text_[start - 1])) --start;
    const char before = start == 0 ? ' ' : text_[start - 1];
    if (ascii::is_graphic(before)) return true;
    candidates_ = true;
    // With a number in front it is for the shell; few write it, and what is no blank may split or not.
    return start == begin && (before == ' ' || before == '\t') && word();
  }

  /// NAME, 'NAME' or "NAME", and nothing else to the end of the word.
  bool word() {
    Heredoc heredoc;
    if (text_[at_] == '-') {
      heredoc.chomp = true;
      ++at_;
    }
    const char quote = at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"') ? text_[at_++] : '\0';
    const auto begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    heredoc.name = text_.substr(begin, at_ - begin);
    if (heredoc.name.empty() || !starts_name(heredoc.name.front())) return false;
    if (quote && (at_ == text_.size() || text_[at_++] != quote)) return false;
    found_.push_back(std::move(heredoc));
    return at_ == text_.size() || text_[at_] == ' ' || text_[at_] == '\t';
  }

  std::string_view text_;
  std::size_t at_ = 0;
  char quote_ = 0;
  bool candidates_ = false;  ///< something that would be a here-document if the quotes were read otherwise
  bool may_fail_ = false;
  bool splits_ = false;
  std::size_t special_ = 0;  ///< the first bracket, quote or backslash behind the last substitution
  std::vector<Heredoc> found_;
};

/// The line without what may stand between two brackets that come to stand side by side.
std::string without_quotes(std::string_view line) {
  std::string rest(line);
  std::erase_if(rest, [](char c) { return c == '\\' || c == '\'' || c == '"'; });
  return rest;
}

/// `${NAME` with something behind it that is no bracket, and a backslash further on.
bool has_escape_behind_modifier(std::string_view line) {
  for (auto at = line.find("${"); at != std::string_view::npos; at = line.find("${", at + 1)) {
    auto end = at + 2;
    while (end < line.size() && is_name(line[end])) ++end;
    if (!line.substr(end).starts_with('}') && line.find('\\', end) != std::string_view::npos) return true;
  }
  return false;
}

/// A blank that is escaped belongs to the word before `<<`; and within a modifier BuildKit drops the backslashes, and
/// then splits what has come of it at the blanks.
bool escapes_decide(std::string_view line) {
  return line.find("\\ ") != std::string_view::npos || line.find("\\\t") != std::string_view::npos ||
         has_escape_behind_modifier(line);
}

}  // namespace

std::variant<std::vector<Heredoc>, Deny> heredocs_of(const Command& command, EngineVersion engine) {
  const auto verb = command.row->verb;
  const bool may_have = verb == Verb::Run || verb == Verb::Copy || verb == Verb::Add || verb == Verb::Onbuild;
  if (!may_have || without_quotes(command.rest).find("<<") == std::string::npos || json_list(command.rest))
    return std::vector<Heredoc>{};
  if (escapes_decide(command.rest)) return deny_at(refusal("dockerfile.text"), command.line, command.rest);
  auto heredocs = Line(command.rest).heredocs();
  if (!heredocs || (begins_as_list(command.rest) && !heredocs->empty()))
    return deny_at(refusal("dockerfile.text"), command.line, command.rest);
  if (heredocs->empty()) return std::move(*heredocs);
  if (verb != Verb::Run || !has_heredocs(engine))
    return deny_at(refusal("dockerfile.heredoc"), command.line, command.rest);
  return std::move(*heredocs);
}

}  // namespace podfence::rules::dockerfile
