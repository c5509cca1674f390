#include "proxy/explain.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <exception>
#include <filesystem>
#include <stdexcept>

#include "proxy/examination.hpp"
#include "proxy/forwarding.hpp"

namespace podfence::proxy {
namespace {

namespace asio = boost::asio;
using rules::Deny;

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

/// Plays the client on a connection of its own, and takes down what a session would decide.
class Explainer {
 public:
  Explainer(asio::io_context& context, Services& services, const rules::Project& project)
      : Explainer(services, project, connected(context)) {}

  std::vector<rules::Trace> traces;

  Task<void> send(std::string_view bytes) {
    co_await far_.send(bytes);
    far_.finish_sending();
  }

  Task<void> explain_all() {
    bool goes_on = true;
    while (goes_on) goes_on = co_await explain_next();
  }

 private:
  using Ends = std::pair<Connection::Socket, Connection::Socket>;

  static Ends connected(asio::io_context& context) {
    Ends ends{Connection::Socket(context), Connection::Socket(context)};
    asio::local::connect_pair(ends.first, ends.second);
    return ends;
  }

  Explainer(Services& services, const rules::Project& project, Ends ends)
      : services_(services), project_(project), near_(std::move(ends.first)), far_(std::move(ends.second)) {}

  /// True when another request may follow.
  Task<bool> explain_next() {
    if (!traces.empty()) {
      const bool more = co_await has_more();
      if (!more) co_return false;
    }
    const auto read = co_await read_request_head(near_, services_.limits.head_bytes);
    if (std::holds_alternative<Ended>(read)) {
      if (traces.empty()) throw std::runtime_error("the request ends before its head does");
      traces.back().notes.emplace_back("what follows ends before its head does; it was not read");
      co_return false;
    }
    if (const auto* refused = std::get_if<RefusedHead>(&read)) {
      traces.push_back(rules::trace_of({project_, refused->method, refused->target}, refused->deny));
      co_return co_await last_of_connection();
    }
    co_return co_await explain(std::get<RequestHead>(read));
  }

  Task<bool> explain(const RequestHead& head) {
    Deadline unlimited(near_.executor(), near_);
    rules::AuditRecord unused;
    RequestContent content(near_, unlimited, services_.limits, head, unused);
    Examination examination(services_, project_, head, content);
    auto decision = co_await decide(examination);
    rules::Judged judged{project_, rules::text(head.method), head.target};
    if (examination.is_routed()) judged.match = &examination.match();
    judged.request = &examination.request();
    if (examination.is_decided()) judged.facts = &examination.inquiry().exchange().facts;
    auto& trace = traces.emplace_back(rules::trace_of(judged, std::move(decision)));
    trace.framing = framing_text(head);
    while (!rules::is_refused(trace) && !content.complete()) {
      const auto piece = co_await content.next();  // what is streamed is not judged
      if (piece.empty()) break;
    }
    if (content.complete() && head.keep_alive && !examination.ends_connection()) co_return true;
    co_return co_await last_of_connection();
  }

  Task<rules::Decision> decide(Examination& examination) {
    if (auto refused = examination.route()) co_return *refused;
    if (auto refused = co_await examination.read_content()) co_return *refused;
    auto decision = co_await examination.decide();
    const auto* forward = std::get_if<rules::Forward>(&decision);
    if (!forward || services_.stated) co_return decision;
    if (auto refused = check_sources(*forward)) co_return *refused;
    co_return decision;
  }

  bool has_only_line_ends() const { return near_.received().find_first_not_of("\r\n") == std::string_view::npos; }

  /// Line ends behind a request are an editor's.
  Task<bool> has_more() {
    bool is_open = true;
    while (is_open && has_only_line_ends()) {
      near_.consume(near_.received().size());
      is_open = co_await near_.receive();
    }
    co_return !has_only_line_ends();
  }

  Task<bool> last_of_connection() {
    const bool more = co_await has_more();
    if (more) traces.back().notes.emplace_back("the connection ends behind this request; what follows was not read");
    co_return false;
  }

  Services& services_;
  const rules::Project& project_;
  Connection near_;
  Connection far_;
};

/// Of facts that are stated: theirs. Else what the file says now; without one images are nobody's.
SqliteLedger ledger_for(const FactSources& sources, std::vector<std::string>& notes) {
  SqliteLedger stated(":memory:");
  if (sources.stated) {
    for (const auto& [project, claim] : sources.stated->holdings()) stated.apply(project, {claim});
    return stated;
  }
  try {
    return SqliteLedger::copy_of(sources.ledger);
  } catch (const std::runtime_error& error) {
    notes.push_back(std::string(error.what()) + ": images are judged as if no project had pulled any");
  }
  return stated;
}

}  // namespace

std::vector<rules::Trace> explain(const rules::Project& project, const RawRequest& request,
                                  const FactSources& sources) {
  auto notes = request.notes;
  auto ledger = ledger_for(sources, notes);
  AuditLog audit("");
  asio::io_context context(1);
  const Limits limits;
  Services services{.limits = limits,
                    .upstream = Upstream(context.get_executor(), sources.upstream),
                    .locks = NameLocks(context.get_executor()),
                    .buffers = BufferBudget(limits.buffered_bytes, limits.project_buffered_bytes),
                    .memory = rules::OwnerMemory(),
                    .usage = rules::Usage(),
                    .ledger = ledger,
                    .audit = audit,
                    .spool_directory = std::filesystem::temp_directory_path(),
                    .spool = BufferBudget(limits.spool_bytes, limits.spool_bytes),
                    .unpacking = BufferBudget(limits.unpacking_bytes, limits.unpacking_bytes),
                    .stated = sources.stated};
  Explainer explainer(context, services, project);
  std::exception_ptr failure;
  asio::co_spawn(context, explainer.send(request.bytes), asio::detached);
  asio::co_spawn(context, explainer.explain_all(), [&](std::exception_ptr thrown) {
    failure = thrown;
    context.stop();  // a client that is refused early still writes
  });
  context.run();
  if (failure) std::rethrow_exception(failure);
  for (auto& trace : explainer.traces) trace.notes.insert(trace.notes.begin(), notes.begin(), notes.end());
  return std::move(explainer.traces);
}

}  // namespace podfence::proxy
