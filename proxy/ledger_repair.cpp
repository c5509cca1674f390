#include "proxy/ledger_repair.hpp"

#include <boost/asio/as_tuple.hpp>

#include "proxy/log.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace asio = boost::asio;
using rules::Deny;
using rules::EngineInventory;
using namespace std::chrono_literals;

namespace {

/// A log is no list of images.
constexpr std::size_t max_lines = 50;

Deny not_understood(std::string_view what) {
  return {rules::refusal("upstream.answer"), std::string(what), rules::Kind::None};
}

}  // namespace

Task<std::variant<EngineInventory, Deny>> take_inventory(Upstream& upstream, BufferBudget& buffers,
                                                         std::size_t answer_bytes, std::string label_key) {
  BufferBudget::Share share(buffers, "");
  EngineInventory inventory(std::move(label_key));
  auto question = EngineInventory::images_request();  // named: see relay.cpp, whole()
  auto images = co_await ask_whole(upstream, std::move(question), answer_bytes, share);
  if (auto* deny = std::get_if<Deny>(&images)) co_return std::move(*deny);
  const auto& list = std::get<WholeAnswer>(images);
  if (!inventory.learn_images(list.status, list.content))
    co_return not_understood("to the question which images it has");
  question = EngineInventory::secrets_request();
  auto secrets = co_await ask_whole(upstream, std::move(question), answer_bytes, share);
  if (auto* deny = std::get_if<Deny>(&secrets)) co_return std::move(*deny);
  const auto& others = std::get<WholeAnswer>(secrets);
  if (!inventory.learn_secrets(others.status, others.content))
    co_return not_understood("to the question which secrets it has");
  co_return inventory;
}

void apply(SqliteLedger& ledger, const rules::Repair& repair) {
  for (const auto& finding : repair.findings) ledger.apply(finding.project, {finding.claim}, "repair");
}

std::vector<std::string> texts_of(const rules::Repair& repair) {
  std::vector<std::string> texts;
  for (const auto& finding : repair.findings) texts.push_back(rules::text_of(finding));
  if (repair.held_back > 0)
    texts.push_back("Podman has nothing of all that the ledger knows, " + std::to_string(repair.held_back) +
                    " entries: is it another Podman than before? They are kept; podfence ledger repair drops them");
  return texts;
}

/// Only one at a time; the others wait for its end.
class LedgerRepair::Turn {
 public:
  explicit Turn(LedgerRepair& repair) : repair_(repair) { repair_.running_ = true; }
  ~Turn() {
    repair_.running_ = false;
    repair_.turn_.cancel();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  LedgerRepair& repair_;
};

LedgerRepair::LedgerRepair(Executor executor, Services& services, std::string label_key, std::chrono::seconds grace)
    : services_(services),
      label_key_(std::move(label_key)),
      grace_(grace),
      turn_(executor, asio::steady_timer::time_point::max()),
      done_(services.ledger.empty()) {}

Task<std::optional<Deny>> LedgerRepair::ensure() {
  while (running_) co_await turn_.async_wait(asio::as_tuple(as_task));
  if (done_) co_return std::nullopt;
  const Turn turn(*this);
  const rules::RepairRules how{.grace = grace_.count()};
  auto deny = co_await repair(how);
  done_ = !deny;
  if (done_) left_ = services_.ledger.entries();
  co_return deny;
}

Task<void> LedgerRepair::run() {
  if (done_) co_return;
  const auto unready = co_await ensure();
  if (unready)
    log("the ledger was not compared with what Podman has: no answer; that is done before the first request");
  asio::steady_timer timer(turn_.get_executor());
  timer.expires_after(grace_ + 1s);
  co_await timer.async_wait(as_task);
  // What this process has written since is none of it.
  const rules::RepairRules how{.grace = 0, .left = &left_};
  if (done_) co_await repair(how);
}

Task<std::optional<Deny>> LedgerRepair::repair(rules::RepairRules how) {
  auto inventory =
      co_await take_inventory(services_.upstream, services_.buffers, services_.limits.answer_bytes, label_key_);
  if (auto* deny = std::get_if<Deny>(&inventory)) co_return std::move(*deny);
  const auto found = rules::find_repair(services_.ledger.entries(), std::get<EngineInventory>(inventory), how);
  apply(services_.ledger, found);
  auto lines = texts_of(found);
  for (std::size_t i = 0; i < lines.size() && i < max_lines; ++i) log("ledger: " + lines[i]);
  if (lines.size() > max_lines) log("ledger: and " + std::to_string(lines.size() - max_lines) + " more of the kind");
  co_return std::nullopt;
}

}  // namespace podfence::proxy
