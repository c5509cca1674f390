#include "rules/dockerfile/mount.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "rules/amount.hpp"
#include "rules/ascii.hpp"
#include "rules/dockerfile/instruction.hpp"
#include "rules/dockerfile/refuse.hpp"
#include "rules/dockerfile/source.hpp"

namespace podfence::rules::dockerfile {

namespace {

enum class Type { Bind, Cache, Tmpfs, Secret, Ssh };
enum class Value { Path, Text, Octal, Decimal, Boolean, Switch, Bytes, Sharing, Source };

struct TypeRow {
  Type type;
  std::string_view name;
};
constexpr auto types = std::to_array<TypeRow>({{Type::Bind, "bind"},
                                               {Type::Cache, "cache"},
                                               {Type::Tmpfs, "tmpfs"},
                                               {Type::Secret, "secret"},
                                               {Type::Ssh, "ssh"}});

/// Written in this order. Not here: propagation, which 1.28 takes unlooked at (CVE-2024-9407), a cache's `from` and
/// `source`, and what only labels or copies.
struct OptionRow {
  Type type;
  std::string_view key;
  Value value;
};
constexpr auto option_rows = std::to_array<OptionRow>({
    {Type::Bind, "source", Value::Source},
    {Type::Bind, "target", Value::Path},
    {Type::Bind, "ro", Value::Switch},
    {Type::Bind, "rw", Value::Switch},
    {Type::Bind, "from", Value::Text},
    {Type::Cache, "id", Value::Text},
    {Type::Cache, "target", Value::Path},
    {Type::Cache, "ro", Value::Switch},
    {Type::Cache, "rw", Value::Switch},
    {Type::Cache, "sharing", Value::Sharing},
    {Type::Cache, "mode", Value::Octal},
    {Type::Cache, "uid", Value::Decimal},
    {Type::Cache, "gid", Value::Decimal},
    {Type::Tmpfs, "target", Value::Path},
    {Type::Tmpfs, "tmpfs-size", Value::Bytes},
    {Type::Tmpfs, "tmpfs-mode", Value::Octal},
    {Type::Secret, "id", Value::Text},
    {Type::Secret, "target", Value::Path},
    {Type::Secret, "required", Value::Boolean},
    {Type::Secret, "mode", Value::Octal},
    {Type::Secret, "uid", Value::Decimal},
    {Type::Secret, "gid", Value::Decimal},
    {Type::Ssh, "id", Value::Text},
    {Type::Ssh, "target", Value::Path},
    {Type::Ssh, "required", Value::Boolean},
    {Type::Ssh, "mode", Value::Octal},
    {Type::Ssh, "uid", Value::Decimal},
    {Type::Ssh, "gid", Value::Decimal},
});

/// Other words for the same.
constexpr auto synonyms = std::to_array<std::pair<std::string_view, std::string_view>>({{"src", "source"},
                                                                                        {"dst", "target"},
                                                                                        {"destination", "target"},
                                                                                        {"readonly", "ro"},
                                                                                        {"readwrite", "rw"},
                                                                                        {"size", "tmpfs-size"}});

bool is_plain(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return ascii::is_alphanumeric(c) || std::string_view("._-/:@+").find(c) != std::string_view::npos;
  });
}

bool are_digits(std::string_view text, char highest) {
  return !text.empty() && text.size() <= 9 &&
         std::ranges::all_of(text, [&](char c) { return c >= '0' && c <= highest; });
}

/// Below the root of what is mounted, without "." and empty parts; "" is the root itself.
std::string clean_source(std::string_view path) {
  std::string clean;
  while (!path.empty()) {
    const auto end = std::min(path.find('/'), path.size());
    const auto part = path.substr(0, end);
    if (part == "..")
      clean.erase(std::min(clean.rfind('/'), clean.size()));
    else if (!part.empty() && part != ".")
      clean.append("/").append(part);
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return clean;
}

/// The key that a project's caches have in common with nobody's, as the name of one directory.
std::string cache_id(const Options& options, std::string_view id) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto is_kept = [](char c) { return ascii::is_alphanumeric(c) || c == '-' || c == '.'; };
  // One that has been through here stays what it is.
  if (id.starts_with(options.cache_prefix) && std::ranges::all_of(id, [&](char c) { return is_kept(c) || c == '_'; }))
    return std::string(id);
  std::string text = options.cache_prefix;
  for (const char c : id) {
    if (is_kept(c)) {
      text += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    text.append("_").append(1, digits[byte >> 4]).append(1, digits[byte & 0xf]);
  }
  return text;
}

class MountReader {
 public:
  MountReader(std::string_view text, const Options& options, std::size_t line)
      : text_(text), options_(options), line_(line) {}

  std::variant<Mount, Deny> read(const Resolve& resolve) {
    if (!split() || !find_type()) return refuse(refusal("dockerfile.mount"));
    if ((type_->type == Type::Secret && !options_.secrets) || (type_->type == Type::Ssh && !options_.ssh))
      return refuse(refusal("dockerfile.secret"));
    if (!check_values()) return refuse(refusal("dockerfile.mount"));
    if (const auto source = given_.find("source"); source != given_.end()) {
      if (climbs(source->second)) return refuse(refusal("dockerfile.path"));
      source->second = clean_source(source->second);
      // 1.28 joins it to the root and lets the runtime follow symbolic links on the host (CVE-2024-1753).
      if (source->second.empty())
        given_.erase(source);
      else if (follows_links(options_.engine))
        return refuse(refusal("dockerfile.mount-link"));
    }
    if (!settle()) return refuse(refusal("dockerfile.mount"));
    return written(resolve);
  }

 private:
  Deny refuse(const Refusal* rule) const { return deny_at(rule, line_, "--mount=" + std::string(text_)); }

  /// Fields between commas; each key once, whatever it is called.
  bool split() {
    for (auto rest = text_;;) {
      const auto end = std::min(rest.find(','), rest.size());
      const auto field = rest.substr(0, end);
      const auto equals = std::min(field.find('='), field.size());
      auto key = field.substr(0, equals);
      for (const auto& [other, own] : synonyms)
        if (key == other) key = own;
      const auto value = equals == field.size() ? std::string_view() : field.substr(equals + 1);
      if (equals != field.size() && value.empty()) return false;
      if (!given_.emplace(key, value).second) return false;
      if (end == rest.size()) return true;
      rest.remove_prefix(end + 1);
    }
  }

  /// 1.28 goes on with the type of the mount before where there is none; everybody else means bind.
  bool find_type() {
    std::string name = "bind";
    if (const auto given = given_.find("type"); given != given_.end()) {
      name = given->second;
      given_.erase(given);
    }
    type_ = std::ranges::find(types, std::string_view(name), &TypeRow::name);
    return type_ != types.end();
  }

  bool check_values() {
    for (auto& given : given_) {
      const auto row = std::ranges::find_if(
          option_rows, [&](const OptionRow& each) { return each.type == type_->type && each.key == given.first; });
      if (row == option_rows.end() || !check_value(row->value, given.second)) return false;
    }
    return true;
  }

  static bool check_value(Value kind, std::string& value) {
    switch (kind) {
      case Value::Path:
        return is_plain(value) && value.starts_with('/') && value.find("..") == std::string::npos;
      case Value::Text:
      case Value::Source:
        return is_plain(value);
      case Value::Octal:
        return are_digits(value, '7');
      case Value::Decimal:
        return are_digits(value, '9');
      case Value::Boolean:  // 1.28 ends when there is no value
        if (value.empty()) value = "true";
        return value == "true" || value == "false";
      case Value::Switch:
        if (value == "true") value.clear();
        return value.empty();
      case Value::Bytes:
        return is_plain(value);
      case Value::Sharing:
        return value == "shared" || value == "locked";
    }
    return false;
  }

  bool has(std::string_view key) const { return given_.contains(key); }

  bool settle() {
    const bool needs_target = type_->type != Type::Secret && type_->type != Type::Ssh;
    if (needs_target && !has("target")) return false;
    if (has("ro") && has("rw")) return false;
    if (type_->type == Type::Secret && !has("id")) return false;
    if (type_->type == Type::Bind) given_.erase("ro");
    if (type_->type == Type::Cache) return settle_cache();
    return type_->type != Type::Tmpfs || settle_tmpfs();
  }

  bool settle_cache() {
    constexpr std::size_t longest = 200;
    given_["id"] = cache_id(options_, has("id") ? given_["id"] : given_["target"]);
    // 1.28 keeps the lock's file in the cache itself, where the client may have put a link to a file of the host.
    if (has("sharing") && (given_["sharing"] == "shared" || follows_links(options_.engine))) given_.erase("sharing");
    return given_["id"].size() <= longest;
  }

  bool settle_tmpfs() {
    if (has("tmpfs-size")) {
      const auto bytes = parse_amount(Unit::Bytes, json::Value(given_["tmpfs-size"]));
      if (!bytes || (options_.tmpfs_bytes && *bytes > *options_.tmpfs_bytes)) return false;
      given_["tmpfs-size"] = std::to_string(*bytes);
    } else if (options_.tmpfs_bytes) {
      given_["tmpfs-size"] = std::to_string(*options_.tmpfs_bytes);
    }
    return true;
  }

  std::variant<Mount, Deny> written(const Resolve& resolve) {
    Mount mount;
    if (has("from")) {
      auto source = resolve(given_["from"]);
      if (auto* denied = std::get_if<Deny>(&source)) return std::move(*denied);
      mount.from = std::get<Source>(std::move(source));
    }
    mount.options.emplace_back("type", type_->name);
    for (const auto& row : option_rows)
      if (row.type == type_->type && row.key != "from" && has(row.key))
        mount.options.emplace_back(row.key, given_.find(row.key)->second);
    return mount;
  }

  std::string_view text_;
  const Options& options_;
  std::size_t line_;
  std::map<std::string, std::string, std::less<>> given_;
  const TypeRow* type_ = nullptr;
};

}  // namespace

std::variant<Mount, Deny> read_mount(std::string_view text, const Options& options, std::size_t line,
                                     const Resolve& resolve) {
  return MountReader(text, options, line).read(resolve);
}

}  // namespace podfence::rules::dockerfile
