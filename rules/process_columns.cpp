#include "rules/process_columns.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace podfence::rules {

namespace {

constexpr std::string_view full_columns = "user,pid,ppid,pcpu,etime,tty,time,args";
constexpr std::string_view user_columns = "user,pid,pcpu,vsz,rss,tty,state,etime,time,args";

struct Column {
  std::string_view said;
  std::string_view sent;
};
// clang-format off
constexpr auto columns = std::to_array<Column>({
    {"args", "args"}, {"cmd", "args"}, {"command", "args"}, {"%a", "args"},
    {"comm", "comm"}, {"ucmd", "comm"}, {"ucomm", "comm"}, {"%c", "comm"},
    {"user", "user"}, {"uname", "user"}, {"euser", "user"}, {"uid", "user"}, {"euid", "user"}, {"%U", "user"},
    {"ruser", "ruser"}, {"ruid", "ruser"}, {"%u", "ruser"},
    {"group", "group"}, {"egroup", "group"}, {"gid", "group"}, {"egid", "group"}, {"%G", "group"},
    {"rgroup", "rgroup"}, {"rgid", "rgroup"}, {"%g", "rgroup"},
    {"groups", "groups"},
    {"pid", "pid"}, {"tgid", "pid"}, {"%p", "pid"},
    {"ppid", "ppid"}, {"%P", "ppid"},
    {"pgid", "pgid"}, {"pgrp", "pgid"}, {"%r", "pgid"},
    {"pcpu", "pcpu"}, {"%cpu", "pcpu"}, {"c", "pcpu"}, {"%C", "pcpu"},
    {"nice", "nice"}, {"ni", "nice"}, {"%n", "nice"},
    {"rss", "rss"}, {"rssize", "rss"}, {"rsz", "rss"},
    {"vsz", "vsz"}, {"vsize", "vsz"}, {"%z", "vsz"},
    {"state", "state"}, {"stat", "state"}, {"s", "state"},
    {"etime", "etime"}, {"%t", "etime"},
    {"stime", "stime"}, {"start", "stime"}, {"start_time", "stime"}, {"lstart", "stime"}, {"bsdstart", "stime"},
    {"time", "time"}, {"cputime", "time"}, {"%x", "time"},
    {"tty", "tty"}, {"tt", "tty"}, {"tname", "tty"}, {"%y", "tty"},
    {"label", "label"}, {"seccomp", "seccomp"},
    {"capamb", "capamb"}, {"capbnd", "capbnd"}, {"capeff", "capeff"}, {"capinh", "capinh"}, {"capprm", "capprm"},
});
// clang-format on

/// What ps calls selections and formats of all processes: those of a container are all that there are.
constexpr std::string_view options_without_columns = "eAadfFlwxu";

class ColumnReader {
 public:
  bool take(std::string_view word) {
    if (std::exchange(expects_list_, false)) return take_list(word);
    if (word.starts_with('-')) return word.size() > 1 && take_options(word.substr(1));
    return take_list(word) || take_options(word);
  }

  std::optional<std::string> result() && {
    if (expects_list_) return std::nullopt;
    if (found_.empty()) found_ = by_user_ ? user_columns : full_columns;
    return std::move(found_);
  }

 private:
  bool take_list(std::string_view list) {
    std::string found = found_;
    while (!list.empty()) {
      const auto comma = std::min(list.find(','), list.size());
      const auto name = list.substr(0, std::min(list.find('='), comma));  // behind it a heading of the client's own
      const auto column = std::ranges::find(columns, name, &Column::said);
      if (column == columns.end()) return false;
      found.append(found.empty() ? "" : ",").append(column->sent);
      list.remove_prefix(std::min(comma + 1, list.size()));
    }
    found_ = std::move(found);
    return true;
  }

  /// "ef", "aux", "eo", "opid".
  bool take_options(std::string_view letters) {
    for (; !letters.empty() && letters.front() != 'o'; letters.remove_prefix(1)) {
      if (options_without_columns.find(letters.front()) == std::string_view::npos) return false;
      by_user_ |= letters.front() == 'u';
    }
    if (letters.empty()) return true;
    if (letters.size() > 1) return take_list(letters.substr(1));
    expects_list_ = true;
    return true;
  }

  std::string found_;
  bool by_user_ = false;
  bool expects_list_ = false;
};

}  // namespace

std::optional<std::string> process_columns(std::span<const std::string> said) {
  ColumnReader reader;
  for (std::string_view words : said)
    while (!words.empty()) {
      const auto space = std::min(words.find(' '), words.size());
      if (space > 0 && !reader.take(words.substr(0, space))) return std::nullopt;
      words.remove_prefix(std::min(space + 1, words.size()));
    }
  return std::move(reader).result();
}

}  // namespace podfence::rules
