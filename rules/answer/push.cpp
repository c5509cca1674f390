// Pushes. Upstream was sent the id and where to; its texts speak of the id, and of the tag that it takes for meant.

#include "rules/act/act.hpp"
#include "rules/answer/line_rule.hpp"
#include "rules/answer/scrub.hpp"
#include "rules/image_name.hpp"
#include "rules/image_push.hpp"

namespace podfence::rules::answer {

namespace {

class PushRule final : public LineRule {
 public:
  explicit PushRule(Exchange& exchange) {
    const auto reference = pushed_reference(exchange);
    const auto* image = exchange.facts.find(Kind::Image, reference);
    if (!image) return;
    id_ = image->id;
    const auto destination = push_destination(exchange, act::own_tag_meant(exchange, reference, image->document));
    if (const auto* name = std::get_if<std::string>(&destination)) {
      repository_ = repository_of(*name);
      tag_ = name->substr(repository_.size() + 1);
    }
  }

  bool keep(json::Value& line) override {
    if (!line.members()) return false;
    if (auto* status = line.find("status"); status && status->string()) *status = named(*status->string());
    if (auto* aux = line.find("aux"); aux && aux->find("Tag")) aux->set("Tag", tag_);
    for (const auto* member : {"error", "stream"}) hide_others(line, member);
    if (auto* detail = line.find("errorDetail")) hide_others(*detail, "message");
    return true;
  }

 private:
  std::string named(std::string text) const {
    constexpr std::string_view latest = "latest: ";
    if (text.starts_with(latest)) text.replace(0, latest.size(), tag_ + ": ");
    if (const auto at = text.find("[" + id_ + "]"); at != std::string::npos)
      text.replace(at + 1, id_.size(), repository_);
    return text;
  }

  /// The digests are those of its own image.
  void hide_others(json::Value& object, std::string_view member) const {
    if (auto* text = object.find(member); text && text->string()) *text = without_host_paths(*text->string());
  }

  std::string id_, repository_, tag_;
};

}  // namespace

std::unique_ptr<LineRule> make_push_rule(Exchange& exchange) { return std::make_unique<PushRule>(exchange); }

}  // namespace podfence::rules::answer
