// Images that were made: commit, import, load. Their names were the project's before (image_target.hpp); now it gets
// what stands under them. What there is counts, not what the answer says: of a load that failed a part may be there.

#include <algorithm>

#include "rules/answer/line_rule.hpp"
#include "rules/answer/scrub.hpp"
#include "rules/image_name.hpp"
#include "rules/image_target.hpp"

namespace podfence::rules::answer {

namespace {

class MadeRule final : public LineRule {
 public:
  explicit MadeRule(Exchange& exchange) : exchange_(exchange), names_(made_names(exchange)) {}

  bool keep(json::Value& line) override {
    if (!line.members()) return false;
    if (line.find("error") || line.find("errorDetail")) failed_ = true;
    for (const auto* member : {"Id", "id"}) note(line.text(member));
    for (const auto& name : line.list("Names"))
      if (name.string()) note(*name.string());
    note_loaded(line.text("stream"));
    hide_others(line, "error");
    if (auto* detail = line.find("errorDetail")) hide_others(*detail, "message");
    return true;
  }

  std::vector<Claim> claims() override {
    std::vector<Claim> claims;
    lost_ = false;
    for (const auto& id : ids_) note_held(exchange_.facts.find(Kind::Image, id), claims);
    for (const auto& name : names_) {
      // It was looked up before it was given.
      if (!asking_) exchange_.facts.forget({Question::Ask::Object, Kind::Image, name});
      const auto* image = exchange_.facts.find(Kind::Image, name);
      note_held(image, claims);
      if (image && image->id.empty()) claims.push_back({Claim::Change::DropTag, name});
    }
    asking_ = !exchange_.facts.complete();
    return claims;
  }

  bool lost() const override { return lost_; }

 private:
  void note_held(const Fact* image, std::vector<Claim>& claims) {
    if (!image) return;
    if (!image->id.empty()) claims.push_back({Claim::Change::HoldImage, image->id});
    lost_ |= image->id.empty() && !failed_;
  }

  void note(std::string_view id) {
    if (auto full = full_image_id(id)) ids_.push_back(std::move(*full));
  }

  /// "Loaded image: sha256:..., localhost/a:1" (compat/images.go:LoadImages): images without names have only that.
  void note_loaded(std::string_view text) {
    while (!text.empty()) {
      const auto end = std::min(text.find_first_of(", \n"), text.size());
      note(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  void hide_others(json::Value& object, std::string_view member) const {
    if (auto* text = object.find(member); text && text->string()) *text = scrub(exchange_, *text->string());
  }

  Exchange& exchange_;
  std::vector<std::string> names_;
  std::vector<std::string> ids_;
  bool asking_ = false;
  bool failed_ = false;
  bool lost_ = false;
};

}  // namespace

std::unique_ptr<LineRule> make_made_rule(Exchange& exchange) { return std::make_unique<MadeRule>(exchange); }

}  // namespace podfence::rules::answer
