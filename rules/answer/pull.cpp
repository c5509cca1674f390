// Pulls. The lines pass; who pulled what is recorded when the last one has come.

#include <algorithm>

#include "rules/answer/line_rule.hpp"
#include "rules/answer/scrub.hpp"
#include "rules/image_name.hpp"

namespace podfence::rules::answer {

namespace {

class PullRule final : public LineRule {
 public:
  explicit PullRule(Exchange& exchange) : exchange_(exchange) {}

  bool keep(json::Value& line) override {
    if (!line.members()) return false;
    if (line.find("error") || line.find("errorDetail")) failed_ = true;
    // libpod: the image's full id. Docker's form: of a layer, then of the image, twelve digits (compat/images.go).
    if (const auto id = line.text("id"); !id.empty()) last_id_ = id;
    if (auto* text = line.find("stream"); text && text->string()) *text = without_host_paths(*text->string());
    hide_others(line, "error");
    if (auto* detail = line.find("errorDetail")) hide_others(*detail, "message");
    return true;
  }

  std::vector<Claim> claims() override {
    const auto reference = pull_reference(exchange_);
    if (!reference || is_shared_name(exchange_.project, *reference)) return {};
    // The image was looked up before it was pulled, and the pull may have moved its name.
    if (!asking_) exchange_.facts.forget({Question::Ask::Object, Kind::Image, *reference});
    const auto* image = exchange_.facts.find(Kind::Image, *reference);
    asking_ = !image;
    if (!image) return {};
    lost_ = !failed_ && !last_id_.empty() && image->id.empty();
    if (!failed_ && !last_id_.empty() && image->id.starts_with(last_id_))
      return {{Claim::Change::HoldImage, image->id}, {Claim::Change::OwnTag, *reference}};
    // The name was claimed when the pull began (act/image_pull.cpp). It stays with an image that the project has.
    const auto& ledger = exchange_.facts.ledger();
    const auto& project = exchange_.project.id;
    if (!ledger.owns_tag(project, *reference) || ledger.holds_image(project, image->id)) return {};
    return {{Claim::Change::DropTag, *reference}};
  }

  bool lost() const override { return lost_; }

 private:
  void hide_others(json::Value& object, std::string_view member) const {
    if (auto* text = object.find(member); text && text->string()) *text = scrub(exchange_, *text->string());
  }

  Exchange& exchange_;
  std::string last_id_;
  bool failed_ = false;
  bool lost_ = false;
  bool asking_ = false;
};

}  // namespace

std::unique_ptr<LineRule> make_pull_rule(Exchange& exchange) { return std::make_unique<PullRule>(exchange); }

}  // namespace podfence::rules::answer
