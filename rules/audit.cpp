#include "rules/audit.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "rules/ascii.hpp"
#include "rules/escaped.hpp"
#include "rules/json.hpp"
#include "rules/json_schema.hpp"
#include "rules/plain_steps.hpp"

namespace podfence::rules {
namespace {

/// These quote what could not be read, whatever it was.
bool quotes_anything(const Refusal& rule) {
  return rule.id.starts_with("http.") || rule.id == "content.json" || rule.id == "content.encoding" ||
         rule.id == "env.host";
}

/// The line as a document.
struct DocumentForm {
  json::Value line = json::Value::object();
  void text(std::string_view name, std::string_view text, std::size_t limit = std::string_view::npos) {
    line.set(name, escaped(text, limit));
  }
  void plain(std::string_view name, const std::string& text) { line.set(name, text); }
  template <class Integer>
  void number(std::string_view name, Integer value) {
    line.set(name, json::Number{std::to_string(value)});
  }
  void list(std::string_view name, const std::vector<std::string>& texts) {
    json::Value items = json::Value::array();
    for (const auto& text : texts) items.push(escaped(text));
    line.set(name, std::move(items));
  }
};

/// What stands in a line as itself: printable ASCII without quote and backslash.
constexpr ascii::Set is_plain([](char c) { return (ascii::is_graphic(c) || c == ' ') && c != '"' && c != '\\'; });

/// The line as text at once: there is one for each request.
class LineForm {
 public:
  void text(std::string_view name, std::string_view text, std::size_t limit = std::string_view::npos) {
    begin(name);
    quote(text.substr(0, limit));
  }
  void plain(std::string_view name, const std::string& text) {
    begin(name);
    put(json::write(text));
  }
  template <class Integer>
  void number(std::string_view name, Integer value) {
    begin(name);
    char* const first = room(most_digits);
    end_ -= static_cast<std::size_t>(first + most_digits - std::to_chars(first, first + most_digits, value).ptr);
  }
  void list(std::string_view name, const std::vector<std::string>& texts) {
    begin(name);
    char before = '[';
    for (const auto& text : texts) {
      put({&before, 1});
      before = ',';
      quote(text);
    }
    put(texts.empty() ? "[]" : "]");
  }
  std::string whole() && {
    put("}");
    line_.resize(end_);
    return std::move(line_);
  }

 private:
  static constexpr std::size_t usual_size = 1024;
  static constexpr std::size_t most_digits = 20;

  /// For what is written next.
  char* room(std::size_t bytes) {
    if (bytes > line_.size() - end_) line_.resize(std::max(2 * line_.size(), end_ + bytes));
    return line_.data() + std::exchange(end_, end_ + bytes);
  }

  void put(std::string_view text) { std::ranges::copy(text, room(text.size())); }

  void begin(std::string_view name) {
    const bool is_first = end_ == 0;
    char* to = room(name.size() + 4);
    *to++ = is_first ? '{' : ',';
    *to++ = '"';
    to = std::ranges::copy(name, to).out;
    *to++ = '"';
    *to = ':';
  }

  /// As `escaped` does, whose backslash is one more in JSON.
  void quote(std::string_view text) {
    put("\"");
    const auto steps = plain_steps<Plain::InAscii>(text.data(), text.size());
    if (std::ranges::all_of(text.substr(steps), is_plain)) {
      put(text);
    } else {
      for (const char c : escaped(text)) put(c == '\\' ? "\\\\" : c == '"' ? "\\\"" : std::string_view(&c, 1));
    }
    put("\"");
  }

  std::string line_ = std::string(usual_size, '\0');
  std::size_t end_ = 0;  ///< of what has been written
};

/// What a line tells, in order.
template <class Form>
void tell(const AuditRecord& record, Form& form) {
  form.text("time", record.time);
  form.text("request_id", record.request_id);
  form.number("generation", record.generation);
  form.text("project", record.project);
  form.text("listener", record.listener);
  if (!record.identity.empty()) form.text("identity", record.identity);
  if (!record.remote.empty()) form.text("remote", record.remote);
  form.number("peer_uid", record.peer_uid);
  form.number("peer_pid", record.peer_pid);
  form.text("method", record.method, 16);
  form.text("endpoint", record.endpoint);
  form.text("target", record.target, max_audited_target);
  form.list("objects", record.objects);
  form.text("decision", record.decision);
  form.text("rule", record.rule);
  form.text("subject", record.subject, 200);
  form.number("status", record.status);
  form.text("aborted", record.aborted);
  form.number("bytes_in", record.bytes_in);
  form.number("bytes_out", record.bytes_out);
  form.number("duration_us", record.duration_us);
  if (record.query) form.plain(record.query->cut ? "query_start" : "query", record.query->text);
  if (record.content && record.content->cut) form.plain("content_start", record.content->text);
}

/// A whole content is JSON in its own right.
std::string with_content(std::string line, std::string_view content) {
  line.back() = ',';
  return line.append(R"("content":)").append(content) += '}';
}

std::uint64_t count_of(const json::Value& line, std::string_view name) { return line.find(name)->uint64().value_or(0); }

std::optional<Redacted> query_of(const json::Value& line) {
  if (line.find("query")) return Redacted{std::string(line.text("query")), false};
  if (line.find("query_start")) return Redacted{std::string(line.text("query_start")), true};
  return std::nullopt;
}

std::optional<Redacted> content_of(const json::Value& line) {
  if (const auto* content = line.find("content")) return Redacted{json::write_printable(*content), false};
  if (line.find("content_start")) return Redacted{std::string(line.text("content_start")), true};
  return std::nullopt;
}

AuditRecord record_of(const json::Value& line) {
  AuditRecord record;
  const struct {
    std::string_view name;
    std::string& text;
  } texts[] = {{"time", record.time},         {"request_id", record.request_id},
               {"project", record.project},   {"listener", record.listener},
               {"identity", record.identity}, {"remote", record.remote},
               {"method", record.method},     {"endpoint", record.endpoint},
               {"target", record.target},     {"decision", record.decision},
               {"rule", record.rule},         {"subject", record.subject},
               {"aborted", record.aborted}};
  for (const auto& [name, text] : texts) text = line.text(name);
  for (const auto& id : line.list("objects")) record.objects.push_back(*id.string());
  record.generation = count_of(line, "generation");
  record.peer_uid = line.int64("peer_uid").value_or(-1);
  record.peer_pid = line.int64("peer_pid").value_or(-1);
  record.status = static_cast<int>(count_of(line, "status"));
  record.bytes_in = count_of(line, "bytes_in");
  record.bytes_out = count_of(line, "bytes_out");
  record.duration_us = line.int64("duration_us").value_or(0);
  record.query = query_of(line);
  record.content = content_of(line);
  return record;
}

}  // namespace

std::string audit_target(std::string_view target) {
  if (!target.starts_with('/')) return {};
  return std::string(target.substr(0, target.find('?')));
}

std::string audit_subject(const Deny& deny) {
  if (quotes_anything(*deny.rule)) return {};
  // A value stands behind '=', the user information of a reference or URI before '@'. In `name=user:secret@host`
  // nothing can be told apart for certain.
  const std::string_view subject = deny.subject;
  const auto equals = subject.find('=');
  const auto at = subject.rfind('@');
  if (at == std::string_view::npos) return std::string(subject.substr(0, equals));
  if (equals < at) return "...";
  return std::string("...").append(subject.substr(at, equals - at));
}

std::string_view audit_decision(const Deny& deny) {
  if (deny.rule->hidden) return "hide";
  return deny.rule->id.starts_with("upstream.") ? "error" : "refuse";
}

std::string_view audit_decision(const Decision& decision, const Endpoint& endpoint) {
  if (const auto* deny = std::get_if<Deny>(&decision)) return audit_decision(*deny);
  const auto relay = relay_of(endpoint.answer);
  const bool answer_passes = relay == Relay::Bytes || relay == Relay::Hijack;
  const auto* forward = std::get_if<Forward>(&decision);
  return forward && !forward->request.content && answer_passes ? "allow" : "rewrite";
}

json::Value audit_document(const AuditRecord& record) {
  DocumentForm form;
  tell(record, form);
  return std::move(form.line);
}

std::string write_audit_line(const AuditRecord& record) {
  LineForm form;
  tell(record, form);
  auto line = std::move(form).whole();
  const bool whole = record.content && !record.content->cut;
  return whole ? with_content(std::move(line), record.content->text) : line;
}

std::variant<AuditRecord, std::string> read_audit_line(std::string_view line) {
  static const json::Schema schema(audit_schema);
  const auto parsed = json::parse(line, {.depth = 128});  // a content and what it stands in
  if (const auto* error = std::get_if<json::Error>(&parsed)) return "it is not JSON: " + error->text();
  const auto& value = std::get<json::Value>(parsed);
  if (const auto wrong = schema.check(value))
    return "it is no line of an audit log: " + (wrong->where.empty() ? "the whole" : wrong->where) + " " + wrong->what;
  return record_of(value);
}

}  // namespace podfence::rules
