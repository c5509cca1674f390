#include "proxy/explain.hpp"

#include <stdexcept>

namespace podfence::proxy {
namespace {

std::string framing_text(const RequestHead& head) {
  std::string text = "HTTP/1.1, ";
  if (head.content.kind == Framing::Kind::Chunked)
    text += "content in chunks";
  else if (head.content.has_content())
    text += "content of " + std::to_string(head.content.size) + " bytes";
  else
    text += "no content";
  if (head.expects_continue) text += ", waits for 100 (Continue)";
  if (head.upgrade) text += ", asks for a tunnel";
  return text + (head.keep_alive ? "" : ", the last of its connection");
}

}  // namespace

std::vector<rules::Trace> explain(const rules::Project& project, const RawRequest& request, const FactSources& sources,
                                  const Limits& limits) {
  Rehearsal rehearsal(project, sources, limits);
  std::vector<rules::Trace> traces;
  const auto told = [&](const rules::Judged& judged, const RequestHead* head, rules::Decision decision) {
    auto& trace = traces.emplace_back(rules::trace_of(judged, std::move(decision)));
    if (head) trace.framing = framing_text(*head);
    trace.notes = request.notes;
    if (!rehearsal.note().empty()) trace.notes.push_back(rehearsal.note());
  };
  const auto end = rehearsal.play(request.bytes, told);
  if (traces.empty()) throw std::runtime_error("the request ends before its head does");
  auto& last_notes = traces.back().notes;
  if (end == Rehearsal::End::InsideHead)
    last_notes.emplace_back("what follows ends before its head does; it was not read");
  if (end == Rehearsal::End::Closed)
    last_notes.emplace_back("the connection ends behind this request; what follows was not read");
  return traces;
}

}  // namespace podfence::proxy
