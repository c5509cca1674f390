#include "proxy/question.hpp"

#include <boost/asio/this_coro.hpp>

#include "proxy/log.hpp"
#include "proxy/patience.hpp"
#include "rules/absence.hpp"
#include "rules/escaped.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace {

using rules::Deny;

/// Bytes of an answer that the log tells.
constexpr std::size_t max_told_bytes = 200;

}  // namespace

std::optional<Deny> learn(rules::Facts& facts, const rules::Question& question, int status, std::string_view answer,
                          const rules::Fields& fields) {
  if (facts.learn(question, status, answer, fields)) return std::nullopt;
  log("Podman's answer to a question about " + std::string(rules::text(question.kind)) +
      " cannot be understood: " + std::to_string(status) + " " + rules::escaped(answer, max_told_bytes));
  return Deny{rules::refusal("upstream.answer"), "to a question about an object"};
}

Task<std::optional<Deny>> ask_upstream(Services& services, rules::Facts& facts, const rules::Question& question,
                                       BufferBudget::Share& share, Waits* waits) {
  Patience patience(co_await boost::asio::this_coro::executor);
  while (true) {
    UpstreamCall call(services.upstream, waits);
    if (auto deny = refusal_for(co_await call.send(facts.request_for(question)))) co_return deny;
    const auto content = co_await read_whole(call.content(), services.limits.answer_bytes, share);
    if (const auto* deny = std::get_if<Deny>(&content)) co_return *deny;
    const auto& text = std::get<std::string>(content);
    bool again = rules::passes_by(question, call.head().status, text);
    if (again) again = co_await patience.wait();
    if (!again) co_return learn(facts, question, call.head().status, text, call.head().fields);
  }
}

}  // namespace podfence::proxy
