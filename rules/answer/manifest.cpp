// What became of a manifest list: it is held by its name (manifest.hpp).

#include "rules/manifest.hpp"

#include "rules/answer/line_rule.hpp"
#include "rules/answer/scrub.hpp"
#include "rules/image_name.hpp"

namespace podfence::rules::answer {

namespace {

using Change = Claim::Change;

class ManifestRule final : public LineRule {
 public:
  explicit ManifestRule(Exchange& exchange) : exchange_(exchange), act_(exchange.match.endpoint->act) {}

  bool keep(json::Value& line) override {
    if (!line.members()) return false;
    made_ |= full_image_id(line.text("Id")).has_value();
    removed_ |= !line.list("Deleted").empty();
    for (const auto* member : {"stream", "error"})
      if (auto* text = line.find(member); text && text->string()) *text = without_host_paths(*text->string());
    for (const auto* member : {"errors", "Errors"})
      if (auto* texts = line.find(member); texts && texts->items())
        for (auto& text : *texts->items())
          if (text.string()) text = without_host_paths(*text.string());
    return true;
  }

  std::vector<Claim> claims() override {
    if (act_ == Act::ManifestRemove) return removed_ ? gone() : std::vector<Claim>();
    if (act_ != Act::ManifestCreate || pushed_manifest(exchange_)) return {};
    return created();
  }

 private:
  std::vector<Claim> gone() const {
    const auto* list = exchange_.facts.find(Kind::Manifest, exchange_.match.name);
    if (!list) return {};
    return {{Change::DropTag, list->id}, {Change::DropImage, list->id}};
  }

  /// Podman 4.3 makes the list and then fails to find what is to be in it: then what is there counts. A name that was
  /// the project's before, and so was not looked up, stays so.
  std::vector<Claim> created() {
    const auto name = new_manifest_name(exchange_);
    if (!name) return {};
    const Claim held{Change::HoldImage, *name};
    if (made_) return {held};
    const auto* list = exchange_.facts.find(Kind::Manifest, *name);
    if (!list) return {};
    if (list->ownership == Ownership::Own) return {held};
    const Question looked_up{Question::Ask::Object, Kind::Image, *name};
    if (!exchange_.facts.known().contains(looked_up)) return {};
    return {{Change::DropTag, *name}};
  }

  Exchange& exchange_;
  Act act_;
  bool made_ = false, removed_ = false;
};

}  // namespace

std::unique_ptr<LineRule> make_manifest_rule(Exchange& exchange) { return std::make_unique<ManifestRule>(exchange); }

}  // namespace podfence::rules::answer
