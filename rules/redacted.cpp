#include "rules/redacted.hpp"

#include <algorithm>
#include <array>

#include "rules/ascii.hpp"
#include "rules/body/tree.hpp"
#include "rules/contains.hpp"
#include "rules/kube/upload.hpp"
#include "rules/query_table.hpp"

namespace podfence::rules {
namespace {

/// Nothing of these is recorded.
constexpr auto about_secrets = std::to_array({Body::RegistryLogin, Body::SecretCreate});

constexpr auto secret_words = std::to_array<std::string_view>(
    {"passw", "passphrase", "secret", "token", "credential", "auth", "apikey", "api_key", "api-key", "private"});

bool names_a_secret(std::string_view text) {
  const auto lower = ascii::lower(text);
  return std::ranges::any_of(secret_words, [&](auto word) { return lower.find(word) != std::string::npos; });
}

/// `user:password@host`, but no digest of an image.
bool has_user_information(std::string_view text) {
  for (auto at = text.find('@', text.find(':')); at != std::string_view::npos; at = text.find('@', at + 1))
    if (!text.substr(at + 1).starts_with("sha256:")) return true;
  return false;
}

/// `--password=x`, `TOKEN=x make`, `Authorization: x`, `{"auth":"x"}`. No names of images: `auth:latest`.
bool assigns_a_secret(std::string_view text) {
  return std::ranges::any_of(std::array{"=", ": ", "\":"}, [&](std::string_view mark) {
    const auto value = text.rfind(mark);
    return value != std::string_view::npos && names_a_secret(text.substr(0, value));
  });
}

/// `--password`, whose value is the next word.
bool announces_a_secret(std::string_view word) {
  return word.starts_with('-') && word.find('=') == std::string_view::npos && names_a_secret(word);
}

/// `mysql --password x`.
bool has_secret_option(std::string_view text) {
  for (auto end = text.find(' '); end != std::string_view::npos; end = text.find(' ')) {
    if (announces_a_secret(text.substr(0, end))) return true;
    text.remove_prefix(end + 1);
  }
  return false;
}

bool may_hold_a_secret(std::string_view text) {
  return has_user_information(text) || assigns_a_secret(text) || has_secret_option(text);
}

/// `NAME=REDACTED`: the name is judged, the value is not.
std::string without_value(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) return std::string(redacted_value);
  return std::string(text.substr(0, equals + 1)).append(redacted_value);
}

/// Writes a value along the tree of its table.
class Writer {
 public:
  void write_documents(const json::Array& documents) {
    open('[');
    for (const auto& document : documents) {
      const auto kind = document.text("kind");
      const auto body = kube::body_of(kind);
      next();
      if (body) {
        write(&tree_of(*table_of(*body)), document);
      } else {
        json::Value unknown = json::Value::object();
        if (!kind.empty()) unknown.set("kind", kind);
        text_ += json::write_printable(unknown);
      }
    }
    close(']');
  }

  /// `node`: nullptr for what no table knows.
  void write(const Node* node, const json::Value& value) {
    if (is_full()) return;
    const Rule* rule = node && node->row ? &node->row->rule : nullptr;
    const bool is_single = !value.items() && !value.members();
    const bool is_dropped = rule && rule->kind == Rule::Kind::Dropped;
    // A single value in the place of a list or an object can be an item, or an entry, that somebody has misplaced.
    const bool is_hidden = !node || is_dropped || (is_single && (rule ? rule->confidential : !node->is_leaf()));
    if (is_hidden && !value.is_zero())
      say(redacted_value);
    else if (value.string())
      say(clean(*value.string()));
    else if (const auto* items = value.items())
      write_items(node, *items);
    else if (const auto* members = value.members())
      write_members(node, *members);
    else
      text_ += json::write(value);
  }

  Redacted take() {
    const bool cut = is_full();
    if (cut) text_.resize(max_redacted_content);
    return {std::move(text_), cut};
  }

 private:
  void write_items(const Node* node, const json::Array& items) {
    open('[');
    bool secret_follows = false;
    for (const auto& item : items) {
      if (is_full()) return;
      next();
      const Node* child = inside(node, node ? node->item.get() : nullptr);
      if (secret_follows)
        say(redacted_value);
      else if (child && child->row && child->row->rule.confidential && item.string() && !item.is_zero())
        say(without_value(*item.string()));
      else
        write(child, item);
      secret_follows = item.string() && announces_a_secret(*item.string());
    }
    close(']');
  }

  void write_members(const Node* node, const json::Object& members) {
    open('{');
    for (const auto& [name, value] : members) {
      if (is_full()) return;
      const Node* member = node ? node->member(name) : nullptr;
      const Node* entry = node ? node->entry.get() : nullptr;
      next();
      say(name);
      text_ += ':';
      if (!member && names_a_secret(name) && !value.is_zero())
        say(redacted_value);
      else
        write(member ? member : inside(node, entry), value);
    }
    close('}');
  }

  /// Below a row that takes a whole subtree there are no others: what it says is refused, and shown.
  static const Node* inside(const Node* node, const Node* child) {
    return child || !node || !node->is_leaf() ? child : node;
  }

  static std::string_view clean(std::string_view text) { return may_hold_a_secret(text) ? redacted_value : text; }

  bool is_full() const { return text_.size() > max_redacted_content; }
  void say(std::string_view text) { text_ += json::write_printable(text); }
  void open(char mark) { text_ += mark; }
  void close(char mark) { text_ += mark; }
  void next() {
    if (text_.back() != '[' && text_.back() != '{') text_ += ',';
  }

  std::string text_;
};

bool is_known(const Endpoint* endpoint, std::string_view name) {
  if (!endpoint) return false;
  const auto parameters = parameters_of(endpoint->query);
  return std::ranges::any_of(parameters, [&](const Parameter& parameter) {
    return ascii::equal_caseless(parameter.name, name) && parameter.rule != ParameterRule::Drop;
  });
}

/// Dockerfile instructions and build arguments set variables.
bool may_hold_a_secret(const QueryPair& pair) {
  constexpr auto assigning = std::to_array<std::string_view>({"buildargs", "changes"});
  return may_hold_a_secret(pair.value) ||
         std::ranges::any_of(assigning, [&](auto name) { return ascii::equal_caseless(name, pair.name); });
}

}  // namespace

Redacted redacted_query(const Target& target, const Endpoint* endpoint) {
  std::vector<QueryPair> pairs = target.query;
  for (auto& pair : pairs)
    if (!pair.value.empty() && (!is_known(endpoint, pair.name) || may_hold_a_secret(pair))) pair.value = redacted_value;
  if (pairs.empty()) return {"", false};
  auto text = write_target("", pairs).substr(1);
  const bool cut = text.size() > max_redacted_query;
  if (cut) text.resize(max_redacted_query);
  return {std::move(text), cut};
}

std::optional<Redacted> redacted_content(const Endpoint& endpoint, const json::Value& content) {
  if (contains(about_secrets, endpoint.body)) return std::nullopt;
  const Table* table = table_of(endpoint.body);
  const auto* documents = is_yaml(endpoint.body) ? content.items() : nullptr;
  if (!table && !documents) return std::nullopt;
  Writer writer;
  if (documents)
    writer.write_documents(*documents);
  else
    writer.write(&tree_of(*table), content);
  return writer.take();
}

}  // namespace podfence::rules
