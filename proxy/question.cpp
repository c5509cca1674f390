#include "proxy/question.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

#include "proxy/log.hpp"
#include "rules/absence.hpp"
#include "rules/escaped.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace {

using rules::Deny;

/// A prune of another project removes many images one behind the other, and a list fails by each of them.
constexpr std::chrono::seconds patience{5};
constexpr std::chrono::milliseconds pause_step{5}, longest_pause{100};
/// Bytes of an answer that the log tells.
constexpr std::size_t max_told = 200;

}  // namespace

std::optional<Deny> learn(rules::Facts& facts, const rules::Question& question, int status, std::string_view answer,
                          const rules::Fields& fields) {
  if (facts.learn(question, status, answer, fields)) return std::nullopt;
  log("Podman's answer to a question about " + std::string(rules::text(question.kind)) +
      " cannot be understood: " + std::to_string(status) + " " + rules::escaped(answer, max_told));
  return Deny{rules::refusal("upstream.answer"), "to a question about an object"};
}

Task<std::optional<Deny>> ask_upstream(Services& services, rules::Facts& facts, const rules::Question& question,
                                       BufferBudget::Share& share, Waits* waits) {
  boost::asio::steady_timer pause(co_await boost::asio::this_coro::executor);
  const auto end = std::chrono::steady_clock::now() + patience;
  for (auto wait = pause_step;; wait = std::min(wait + pause_step, longest_pause)) {
    UpstreamCall call(services.upstream, waits);
    if (auto deny = refusal_for(co_await call.send(facts.request_for(question)))) co_return deny;
    const auto content = co_await read_whole(call.content(), services.limits.answer_bytes, share);
    if (const auto* deny = std::get_if<Deny>(&content)) co_return *deny;
    const auto& text = std::get<std::string>(content);
    if (!rules::passes_by(question, call.head().status, text) || std::chrono::steady_clock::now() >= end)
      co_return learn(facts, question, call.head().status, text, call.head().fields);
    pause.expires_after(wait);
    co_await pause.async_wait(boost::asio::use_awaitable);
  }
}

}  // namespace podfence::proxy
