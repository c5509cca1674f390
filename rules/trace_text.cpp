// A trace for people: a word on the left for each step, what it did on the right. What comes from the client is made
// harmless for terminals.

#include "rules/audit_replay.hpp"
#include "rules/error_answer.hpp"
#include "rules/shown_request.hpp"
#include "rules/trace_words.hpp"

namespace podfence::rules {
namespace {

using Change = json::Difference::Kind;

constexpr std::size_t margin = 12;
constexpr std::size_t longest_value = 160;

class Page {
 public:
  std::string text;

  /// The title is said once, for as many lines as follow.
  void begin(std::string_view title) { title_ = title; }

  void line(std::string_view content) {
    std::string start = title_ + std::string(margin - std::min(margin, title_.size()), ' ');
    title_.clear();
    for (const char c : start.append(content)) append(c);
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }

 private:
  void append(char c) {
    constexpr char digits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f)
      text += c;
    else
      text.append("\\x").append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
  }

  std::string title_;
};

std::string shortened(std::string text) {
  if (text.size() <= longest_value) return text;
  return text.substr(0, longest_value) + "... (" + std::to_string(text.size()) + " bytes)";
}

std::string value_text(const std::optional<json::Value>& value) { return value ? shortened(json::write(*value)) : ""; }

std::string rewrite_text(const Rewrite& rewrite) {
  const auto& [kind, where, before, after] = rewrite.difference;
  std::string text;
  switch (kind) {
    case Change::Added:
      text = "+ " + where + ": " + value_text(after);
      break;
    case Change::Removed:
      text = "- " + where + ": " + value_text(before);
      break;
    case Change::Changed:
      text = "~ " + where + (where.empty() ? "" : ": ") + value_text(before) + " -> " + value_text(after);
      break;
    case Change::Respelled:
      text = "~ " + where + " was spelled " + value_text(before);
      break;
  }
  return rewrite.says.empty() ? text : text + "   (" + rewrite.says + ")";
}

bool shows_no_change(const Rewrite& rewrite) {
  return rewrite.difference.kind == Change::Removed && rewrite.difference.before->is_zero();
}

void write_rewrites(Page& page, std::string_view title, const std::vector<Rewrite>& rewrites) {
  page.begin(title);
  std::string unsaid;
  for (const auto& rewrite : rewrites) {
    if (shows_no_change(rewrite))
      unsaid += (unsaid.empty() ? "" : " ") + rewrite.difference.where;
    else
      page.line(rewrite_text(rewrite));
  }
  if (!unsaid.empty()) page.line("- left out, since they say nothing: " + unsaid);
}

void write_endpoint(Page& page, const Trace& trace) {
  if (!trace.endpoint) return;
  const auto& endpoint = *trace.endpoint;
  page.begin("endpoint");
  page.line(std::string(text(endpoint.method)) + " " + std::string(endpoint.path) + ", " + endpoint_document(endpoint));
  if (const auto fields = content_document(endpoint); !fields.empty()) page.line("content: " + fields);
}

void write_references(Page& page, const Trace& trace) {
  page.begin("references");
  for (const auto& [kind, name, ownership, project, id] : trace.references) {
    std::string line = std::string(text(kind)) + " " + name + ": " + std::string(ownership_word(ownership));
    if (ownership == Ownership::Foreign && kind != Kind::Image && kind != Kind::Exec)
      line += project.empty() ? ", of no project" : ", of the project " + project;
    if (!id.empty() && id != name) line += ", " + id;
    page.line(line);
  }
}

void write_request(Page& page, const UpstreamRequest& sent) {
  const auto request = as_shown(sent);
  page.line(std::string(text(request.method)) + " " + request.target);
  for (const auto& field : request.fields) page.line(field.name + ": " + std::string(printable_field(field)));
  if (request.content) page.line(*request.content);
}

void write_claims(Page& page, std::string_view when, const std::vector<Claim>& claims) {
  for (const auto& claim : claims)
    page.line(std::string(when) + ": " + std::string(claim_word(claim.change)) + " " + claim.what);
}

void write_needs(Page& page, const Needs& needs) {
  page.begin("first");
  for (const auto& source : needs.sources)
    page.line(source.client_path + " must be there, without a symbolic link in its path: " + host_path_of(source));
  for (const auto& volume : needs.workspace_volumes)
    page.line("the volume " + volume.name + " is made over " + volume.host + ", if it is missing");
  for (const auto& volume : needs.volumes)
    page.line("the volume " + volume.name + " is made with the project's label, if it is missing");
  for (const auto& network : needs.networks)
    page.line("the network " + network.name + " is made with the project's label" +
              (network.internal ? ", without a way out" : "") + ", if it is missing");
}

void write_forward(Page& page, const Forward& forward) {
  write_needs(page, forward);
  page.begin("ledger");
  write_claims(page, "before it is sent", forward.before);
  write_claims(page, "when it fails", forward.on_failure);
  page.begin("request");
  write_request(page, forward.request);
}

void write_batch(Page& page, const Batch& batch) {
  write_needs(page, batch.needs);
  page.begin("requests");
  if (batch.items.empty()) page.line("none: nothing of the project's is meant");
  for (const auto& item : batch.items) {
    if (item.ledger_only)
      page.line("none for " + item.name + ": other projects keep it");
    else
      write_request(page, item.request);
    write_claims(page, "  ledger, when it succeeds", item.on_success);
  }
}

void write_reply(Page& page, const Reply& reply) {
  page.begin("answer");
  page.line("by podfence itself, " + std::to_string(reply.status));
  if (!reply.content.empty()) page.line(reply.content.substr(0, reply.content.find_last_not_of('\n') + 1));
  page.begin("ledger");
  write_claims(page, "before it is answered", reply.claims);
}

void write_policy(Page& page, const Trace& trace, std::string_view configuration) {
  if (trace.policy.empty()) return;
  page.begin("policy");
  page.line(trace.policy + " could change that");
  if (!trace.place) return;
  const auto& [file, line, where, stands] = *trace.place;
  std::string place = file.empty() ? std::string(configuration) : file;
  if (line > 0) place += ":" + std::to_string(line);
  page.line(place + (place.empty() ? "" : ": ") + where + (stands ? " says it" : " is where it would stand"));
}

void write_refusal(Page& page, const Trace& trace, const Deny& deny, std::string_view configuration) {
  const auto answer = answer_to(trace, deny);
  page.begin("rule");
  page.line(std::string(deny.rule->id) + ", " + std::to_string(answer.status) + ", docs/refusals.md");
  if (!deny.rule->hidden) page.line(sentence_of(deny));
  page.begin("answer");
  page.line(answer.content.substr(0, answer.content.find_last_not_of('\n') + 1));
  page.begin("truth");
  if (!trace.truth.empty()) page.line(trace.truth + "; the client cannot tell");
  write_policy(page, trace, configuration);
}

void write_recorded(Page& page, const Trace& trace) {
  const auto& record = trace.recorded->record;
  page.begin("recorded");
  page.line(record.time + ", request " + record.request_id + ", generation " + std::to_string(record.generation) +
            ": " + record.decision + (record.rule.empty() ? "" : ", " + record.rule) +
            (record.subject.empty() ? "" : ", about " + record.subject));
  page.begin("missing");
  for (const auto& part : trace.recorded->missing) page.line(part);
  page.begin("verdict");
  page.line(comparison_text(trace));
}

}  // namespace

std::string trace_text(const Trace& trace, std::string_view configuration) {
  Page page;
  page.begin("client");
  page.line("the project " + trace.project + ": " + trace.method + " " + trace.target);
  page.begin("note");
  for (const auto& note : trace.notes) page.line(note);
  page.begin("framing");
  if (!trace.framing.empty()) page.line(trace.framing);
  write_endpoint(page, trace);
  if (trace.path) write_rewrites(page, "path", {*trace.path});
  write_rewrites(page, "query", trace.query);
  write_rewrites(page, "content", trace.content);
  write_references(page, trace);
  page.begin("decision");
  page.line(decision_word(trace));
  if (const auto* deny = std::get_if<Deny>(&trace.decision)) write_refusal(page, trace, *deny, configuration);
  if (const auto* forward = std::get_if<Forward>(&trace.decision)) write_forward(page, *forward);
  if (const auto* batch = std::get_if<Batch>(&trace.decision)) write_batch(page, *batch);
  if (const auto* reply = std::get_if<Reply>(&trace.decision)) write_reply(page, *reply);
  if (const auto* fetch = std::get_if<Fetch>(&trace.decision)) {
    page.begin("fetch");
    page.line("the image " + fetch->reference + " is pulled first; what is decided then depends on it");
  }
  if (trace.recorded) write_recorded(page, trace);
  return std::move(page.text);
}

}  // namespace podfence::rules
