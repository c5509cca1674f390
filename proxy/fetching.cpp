#include "proxy/fetching.hpp"

#include "proxy/inquiry.hpp"
#include "rules/answer.hpp"
#include "rules/fetched_image.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace {

using rules::Deny;
using Refused = std::optional<Deny>;

/// Nobody reads the lines of the answer; what they say of the image goes into the ledger.
class Fetching {
 public:
  Fetching(Services& services, const rules::Project& project, const rules::Fetch& wanted, Waits* waits)
      : services_(services),
        waits_(waits),
        reference_(wanted.reference),
        request_(rules::pull_of(wanted)),
        match_(rules::endpoint_of(request_)),
        inquiry_(services, project, match_, request_, waits) {}

  Task<Refused> run() {
    auto decision = co_await inquiry_.decide();
    if (auto* deny = std::get_if<Deny>(&decision)) co_return std::move(*deny);
    const auto* forward = std::get_if<rules::Forward>(&decision);
    if (!forward) co_return std::nullopt;  // it is here already
    const Inquiry::Claimed claimed(inquiry_, forward->before);
    auto refused = co_await pull(*forward);
    if (refused) inquiry_.record(forward->on_failure);
    co_return refused;
  }

 private:
  Deny failed(std::string_view why) const {
    return {rules::refusal("image.fetch"), reference_ + ": " + std::string(why), rules::Kind::None};
  }

  Task<Refused> pull(const rules::Forward& forward) {
    UpstreamCall call(services_.upstream, waits_);
    if (auto refused = refusal_for(co_await call.send(forward.request))) co_return refused;
    auto content = co_await read_whole(call.content(), services_.limits.answer_bytes, inquiry_.buffered());
    if (auto* deny = std::get_if<Deny>(&content)) co_return std::move(*deny);
    auto& text = std::get<std::string>(content);
    if (call.head().status >= 400)
      co_return failed(
          rules::error_message(rules::rewrite_error(inquiry_.exchange(), call.head().status, text).content));
    co_return co_await record(text);
  }

  Task<Refused> record(std::string_view lines) {
    rules::LineJudge judge(inquiry_.exchange().match.endpoint->answer, inquiry_.exchange());
    std::string error;
    while (!lines.empty()) {
      const auto line = lines.substr(0, lines.find('\n'));
      lines.remove_prefix(std::min(lines.size(), line.size() + 1));
      auto judged = judge.judge(line);
      const auto* text = std::get_if<std::optional<std::string>>(&judged);
      if (text && *text && !rules::error_of_line(**text).empty()) error = rules::error_of_line(**text);
    }
    const auto alone = co_await inquiry_.hold_images();
    for (int round = 0; alone && round < Inquiry::max_rounds; ++round) {
      auto result = judge.finish();
      if (const auto* claims = std::get_if<std::vector<rules::Claim>>(&result)) {
        inquiry_.record(*claims);
        if (!error.empty()) co_return failed(error);
        if (judge.lost()) co_return failed("it was removed at the same moment");
        co_return std::nullopt;
      }
      if (auto refused = co_await inquiry_.learn(std::get<rules::Ask>(result))) co_return refused;
    }
    co_return failed("references without an end");
  }

  Services& services_;
  Waits* waits_;
  std::string reference_;
  rules::Request request_;
  rules::Match match_;
  Inquiry inquiry_;
};

}  // namespace

Task<Refused> fetch_image(Services& services, const rules::Project& project, const rules::Fetch& wanted, Waits* waits) {
  Fetching fetching(services, project, wanted, waits);
  co_return co_await fetching.run();
}

}  // namespace podfence::proxy
