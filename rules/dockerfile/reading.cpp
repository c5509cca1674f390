#include "rules/dockerfile/reading.hpp"

#include <algorithm>

#include "rules/ascii.hpp"
#include "rules/dockerfile/characters.hpp"
#include "rules/dockerfile/heredoc.hpp"
#include "rules/dockerfile/instruction.hpp"
#include "rules/dockerfile/refuse.hpp"
#include "rules/utf8.hpp"

namespace podfence::rules::dockerfile {

namespace {

/// imagebuilder 1.2.3 reads lines with a buffer of 64 KiB, and takes a longer one for the end of the file.
constexpr std::size_t max_line = 60'000;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// What can be written into one line and read again as it was. Control characters are split at by one part of the
/// builder and kept by another.
std::optional<Deny> check_text(std::string_view text) {
  if (text.size() > max_text)
    return Deny{refusal("dockerfile.too-large"), "more than " + std::to_string(max_text) + " bytes", Kind::None};
  if (!is_utf8(text)) return Deny{refusal("dockerfile.text"), "it is not UTF-8", Kind::None};
  std::size_t line = 1;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n') {
      ++line;
      continue;
    }
    const bool ends_line = c == '\r' && (at + 1 == text.size() || text[at + 1] == '\n');
    if (ascii::is_control(c) && c != '\t' && !ends_line)
      return deny_at(refusal("dockerfile.text"), line, "a control character");
    // Before a word the builder's reader drops it (Go: text/scanner), and nobody sees it.
    if (at > 0 && text.substr(at).starts_with(byte_order_mark))
      return deny_at(refusal("dockerfile.text"), line, "a byte order mark");
  }
  return std::nullopt;
}

/// The words that begin with "--" (split_command.go, extractBuilderFlags): how far they reach, and what they say.
class FlagWords {
 public:
  explicit FlagWords(std::string_view text) : text_(text) {}

  /// nullopt where the builder, which goes byte by byte, would make something else of a character.
  std::optional<std::vector<std::string>> words() {
    while (skip_blanks(), text_.substr(at_).starts_with("--")) {
      if (!word()) return std::nullopt;
      if (word_ == "--") break;
      words_.push_back(std::move(word_));
    }
    return std::move(words_);
  }
  std::string_view rest() const { return trim(text_.substr(at_)); }

 private:
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(blanks, at_), text_.size()); }

  bool word() {
    word_.clear();
    for (char quote = 0; at_ < text_.size(); ++at_) {
      char c = text_[at_];
      if (!ascii::is_graphic(c) && c != ' ' && c != '\t') return false;
      if (quote ? c == quote : c == '"' || c == '\'') {
        quote = quote ? '\0' : c;
        continue;
      }
      if (!quote && (c == ' ' || c == '\t')) break;
      if (c == '\\' && ++at_ == text_.size()) break;
      word_ += text_[at_];
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string word_;
  std::vector<std::string> words_;
};

/// parser.go, Parse
class Reader {
 public:
  Reader(std::string_view text, EngineVersion engine) : text_(text), engine_(engine) {
    if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
  }

  std::variant<std::vector<Command>, Deny> commands() {
    while (!refused_ && next()) {
      const auto line = trim_left(physical_);
      if (directive(line) || line.empty() || line.front() == '#') continue;
      logical(line);
    }
    if (refused_) return std::move(*refused_);
    return std::move(commands_);
  }

 private:
  /// bufio.ScanLines
  bool next() {
    if (at_ >= text_.size()) return false;
    const auto end = std::min(text_.find('\n', at_), text_.size());
    physical_ = text_.substr(at_, end - at_);
    at_ = end + 1;
    ++number_;
    if (physical_.ends_with('\r')) physical_.remove_suffix(1);
    if (physical_.size() > max_line) refuse(refusal("dockerfile.too-large"), "a line");
    return !refused_;
  }

  /// `# escape=` counts until the first line that is none; every other directive is a comment to this builder.
  bool directive(std::string_view line) {
    if (directives_done_) return false;
    directives_done_ = true;
    if (!line.starts_with('#')) return false;
    const auto word = [&](std::string_view expected) {
      line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
      if (!ascii::equal_caseless(line.substr(0, expected.size()), expected)) return false;
      line.remove_prefix(expected.size());
      return true;
    };
    line.remove_prefix(1);
    if (!word("escape") || !word("=") || !word("") || line.empty()) return false;
    if ((line.front() != '`' && line.front() != '\\') || escape_seen_)
      refuse(refusal("dockerfile.syntax"), "the escape directive");
    escape_ = line.front();
    escape_seen_ = true;
    directives_done_ = false;
    return true;
  }

  /// Takes the escape character and the blanks behind it off the end.
  bool continues(std::string_view& line) const {
    const auto last = line.find_last_not_of(blanks);
    if (last == std::string_view::npos || line[last] != escape_) return false;
    line = line.substr(0, last);
    return true;
  }

  void logical(std::string_view line) {
    const auto begin = number_;
    bool more = continues(line);
    std::string joined(line);
    while (more && next()) {
      line = physical_;
      const auto trimmed = trim_left(line);
      if (trimmed.empty() || trimmed.front() == '#') continue;
      more = continues(line);
      joined += line;
      if (joined.size() > max_line) return refuse(refusal("dockerfile.too-large"), "an instruction");
    }
    if (!refused_) add(joined, begin);
  }

  void add(std::string_view line, std::size_t begin) {
    auto read = read_command(line, begin);
    if (auto* denied = std::get_if<Deny>(&read)) {
      refused_ = std::move(*denied);
      return;
    }
    auto& command = std::get<Command>(read);
    if (escape_ == '`' && !converts(command)) return refuse(refusal("dockerfile.escape"), command.rest);
    auto heredocs = heredocs_of(command, engine_);
    if (auto* denied = std::get_if<Deny>(&heredocs)) {
      refused_ = std::move(*denied);
      return;
    }
    for (auto& heredoc : std::get<std::vector<Heredoc>>(heredocs)) {
      if (!body(heredoc)) return refuse(refusal("dockerfile.syntax"), "no end of <<" + heredoc.name);
      command.heredocs.push_back(std::move(heredoc));
    }
    commands_.push_back(std::move(command));
    if (commands_.size() > max_instructions) refuse(refusal("dockerfile.too-large"), "too many instructions");
  }

  /// Only parseWords knows the directive, and of what it splits only backslashes and backticks.
  static bool converts(const Command& command) {
    const auto verb = command.row->verb;
    if (verb != Verb::Env && verb != Verb::Label && verb != Verb::Arg) return true;
    return command.rest.find_first_of("`\\") == std::string::npos;
  }

  bool body(Heredoc& heredoc) {
    while (next()) {
      auto end = physical_;
      if (heredoc.chomp) end.remove_prefix(std::min(end.find_first_not_of('\t'), end.size()));
      if (end == heredoc.name) return true;
      heredoc.lines.emplace_back(physical_);
    }
    return false;
  }

  void refuse(const Refusal* rule, std::string_view what) {
    if (!refused_) refused_ = deny_at(rule, number_, what);
  }

  std::string_view text_;
  EngineVersion engine_;
  std::size_t at_ = 0;
  std::size_t number_ = 0;
  std::string_view physical_;
  char escape_ = '\\';
  bool escape_seen_ = false;
  bool directives_done_ = false;
  std::vector<Command> commands_;
  std::optional<Deny> refused_;
};

}  // namespace

std::variant<Command, Deny> read_command(std::string_view text, std::size_t line) {
  const auto whole = trim(text);
  const auto end = std::min(whole.find_first_of(blanks), whole.size());
  Command command;
  command.line = line;
  command.row = find_instruction(ascii::lower(whole.substr(0, end)));
  if (!command.row) return deny_at(refusal("dockerfile.instruction"), line, whole.substr(0, end));
  FlagWords flags(whole.substr(end));
  auto words = flags.words();
  if (!words) return deny_at(refusal("dockerfile.text"), line, whole);
  command.flags = std::move(*words);
  command.rest = flags.rest();
  if (command.rest.empty()) return deny_at(refusal("dockerfile.syntax"), line, whole);
  if (command.rest.ends_with('\\')) return deny_at(refusal("dockerfile.text"), line, "it ends with a backslash");
  return command;
}

std::variant<std::vector<Command>, Deny> read_commands(std::string_view text, EngineVersion engine) {
  if (auto denied = check_text(text)) return std::move(*denied);
  return Reader(text, engine).commands();
}

}  // namespace podfence::rules::dockerfile
