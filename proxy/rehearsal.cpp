#include "proxy/rehearsal.hpp"

#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <filesystem>
#include <stdexcept>

#include "proxy/examination.hpp"
#include "proxy/forwarding.hpp"

namespace podfence::proxy {
namespace {

namespace asio = boost::asio;
using rules::Deny;
using End = Rehearsal::End;

/// Plays the client, and takes down what a session would decide.
class Player {
 public:
  Player(Services& services, const rules::Project& project, const Rehearsal::Told& told, Connection client)
      : services_(services), project_(project), told_(told), client_(std::move(client)) {}

  Task<End> play() {
    auto end = co_await play_one();
    while (end == End::Complete) {
      const bool more = co_await has_more();
      if (!more) break;
      end = co_await play_one();
    }
    co_return end;
  }

 private:
  /// Complete: another request may follow.
  Task<End> play_one() {
    const auto read = co_await read_request_head(client_, services_.limits);
    if (std::holds_alternative<Ended>(read)) co_return End::InsideHead;
    if (const auto* refused = std::get_if<RefusedHead>(&read)) {
      told_({project_, refused->method, refused->target}, nullptr, refused->deny);
      co_return co_await last_of_connection();
    }
    co_return co_await examine(std::get<RequestHead>(read));
  }

  Task<End> examine(const RequestHead& head) {
    Deadline unlimited(client_.executor(), client_);
    rules::AuditRecord unused;
    RequestContent content(client_, unlimited, services_.limits, head, unused);
    Examination examination(services_, project_, head, content);
    auto decision = co_await decide(examination);
    const bool refused = std::holds_alternative<Deny>(decision);
    rules::Judged judged{project_, rules::text(head.method), head.target};
    if (examination.is_routed()) judged.match = &examination.match();
    judged.request = &examination.request();
    if (examination.is_decided()) judged.facts = &examination.inquiry().exchange().facts;
    told_(judged, &head, std::move(decision));
    while (!refused && !content.complete()) {
      const auto piece = co_await content.next();  // what is streamed is not judged
      if (piece.empty()) break;
    }
    if (content.complete() && head.keep_alive && !examination.ends_connection()) co_return End::Complete;
    co_return co_await last_of_connection();
  }

  Task<rules::Decision> decide(Examination& examination) {
    if (auto refused = examination.route()) co_return *refused;
    if (auto refused = co_await examination.read_content()) co_return *refused;
    auto decision = co_await examination.decide();
    const auto* needs = rules::needs_of(decision);
    if (!needs || services_.stated) co_return decision;
    if (auto refused = check_sources(*needs)) co_return *refused;
    co_return decision;
  }

  bool has_only_line_ends() const { return client_.received().find_first_not_of("\r\n") == std::string_view::npos; }

  Task<bool> has_more() {
    bool is_open = true;
    while (is_open && has_only_line_ends()) {
      client_.consume(client_.received().size());
      is_open = co_await client_.receive();
    }
    co_return !has_only_line_ends();
  }

  Task<End> last_of_connection() {
    const bool more = co_await has_more();
    co_return more ? End::Closed : End::Complete;
  }

  Services& services_;
  const rules::Project& project_;
  const Rehearsal::Told& told_;
  Connection client_;
};

/// What the file says now; without one images are nobody's.
SqliteLedger ledger_for(const FactSources& sources, std::string& note) {
  if (sources.stated) return SqliteLedger(":memory:");
  try {
    return SqliteLedger::copy_of(sources.ledger);
  } catch (const std::runtime_error& error) {
    note = std::string(error.what()) + ": images are judged as if no project had pulled any";
  }
  return SqliteLedger(":memory:");
}

std::vector<rules::StatedObjects::Holding> holdings_of(const rules::StatedObjects* stated) {
  return stated ? stated->holdings() : std::vector<rules::StatedObjects::Holding>();
}

}  // namespace

Rehearsal::Rehearsal(const rules::Project& project, const FactSources& sources, const Limits& limits)
    : ledger_(ledger_for(sources, note_)),
      stated_ledger_(holdings_of(sources.stated)),
      project_(project),
      services_{.limits = limits,
                .upstream = Upstream(context_.get_executor(), connect_to_socket(sources.upstream)),
                .locks = NameLocks(context_.get_executor()),
                .buffers = BufferBudget(limits.buffered_bytes, limits.project_buffered_bytes),
                .requests = ConnectionBudget(limits.requests, limits.requests, 1),
                .memory = rules::OwnerMemory(),
                .usage = rules::Usage(),
                .ledger = ledger_,
                .audit = audit_,
                .spool_directory = std::filesystem::temp_directory_path(),
                .spool = BufferBudget(limits.spool_bytes, limits.spool_bytes),
                .unpacking = BufferBudget(limits.unpacking_bytes, limits.unpacking_bytes),
                .changes_nothing = true,
                .stated = sources.stated,
                .stated_ledger = sources.stated ? &stated_ledger_ : nullptr} {}

void Rehearsal::forget() {
  services_.memory = rules::OwnerMemory();
  services_.usage = rules::Usage();
}

Rehearsal::End Rehearsal::play(std::string_view bytes, const Told& told) {
  Player player(services_, project_, told, Connection(context_.get_executor(), bytes));
  auto end = End::Complete;
  std::exception_ptr failure;
  asio::co_spawn(context_, player.play(), [&](std::exception_ptr thrown, End ended) {
    failure = thrown;
    end = ended;
  });
  context_.restart();
  context_.run();
  if (failure) std::rethrow_exception(failure);
  return end;
}

}  // namespace podfence::proxy
