// Builds. The lines pass, but for the last: the image's id, which says what the project gets, and which Docker's API
// writes in its own way.

#include "rules/build/build.hpp"

#include "rules/answer/line_rule.hpp"
#include "rules/answer/scrub.hpp"
#include "rules/image_name.hpp"
#include "rules/image_target.hpp"

namespace podfence::rules::answer {

namespace {

constexpr std::size_t short_id = 12;

json::Value stream_line(std::string text) {
  json::Value line;
  line.set("stream", std::move(text));
  return line;
}

class BuildRule final : public LineRule {
 public:
  explicit BuildRule(Exchange& exchange) : exchange_(exchange) {
    auto options = build::read_options(exchange.request, exchange.project);
    if (auto* read = std::get_if<build::Options>(&options)) options_ = std::move(*read);
  }

  bool keep(json::Value& line) override {
    if (!line.members()) return false;
    if (line.find("error") || line.find("errorDetail")) failed_ = true;
    hide_others(line, "error");
    if (auto* detail = line.find("errorDetail")) hide_others(*detail, "message");
    auto* const text = line.find("stream");
    if (!text || !text->string()) return true;
    // A step can print an id as well: only the very last line is the image's.
    auto& said = *text->string();
    const bool is_id = said.ends_with('\n') && full_image_id(said.substr(0, said.size() - 1)).has_value();
    said = without_host_paths(said);
    if (!id_.empty()) said.insert(0, std::exchange(id_, "") + "\n");
    if (!is_id) return !options_.quiet;
    said.pop_back();
    const auto last = said.rfind('\n');
    id_ = said.substr(last == std::string::npos ? 0 : last + 1);
    said.erase(said.size() - id_.size());
    return !said.empty() && !options_.quiet;
  }

  std::vector<Claim> claims() override {
    if (failed_ || id_.empty()) return claims_of_failure();
    auto& facts = exchange_.facts;
    const auto* image = facts.find(Kind::Image, id_);
    if (!image) return {};
    lost_ = image->id.empty();
    if (image->id != id_ || !build::has_cache_label(image->document, exchange_.project, facts.ledger()))
      return claims_of_failure();
    std::vector<Claim> claims{{Claim::Change::HoldImage, id_}};
    for (const auto& name : names()) claims.push_back({Claim::Change::MakeTag, name});
    return claims;
  }

  bool lost() const override { return lost_; }

  std::vector<json::Value> last_lines() override {
    if (id_.empty()) return {};
    std::vector<json::Value> lines{stream_line(id_ + "\n")};
    if (exchange_.match.endpoint->family == Family::Libpod || options_.quiet) return lines;
    json::Value aux, id;
    id.set("ID", "sha256:" + id_);
    aux.set("aux", std::move(id));
    return {std::move(aux), stream_line("Successfully built " + id_.substr(0, short_id) + "\n")};
  }

 private:
  /// Claimed before the build began. A name stays with an image that the project has.
  std::vector<Claim> claims_of_failure() {
    std::vector<Claim> claims;
    auto& facts = exchange_.facts;
    for (const auto& name : names()) {
      if (!asked_again_) facts.forget({Question::Ask::Object, Kind::Image, name});
      const auto* image = facts.find(Kind::Image, name);
      if (image && !facts.ledger().holds_image(exchange_.project.id, image->id))
        claims.push_back({Claim::Change::DropTag, name});
    }
    asked_again_ = true;
    return claims;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& asked : options_.tags)
      if (auto name = target_name(exchange_.match.endpoint->family, asked, "")) names.push_back(*std::move(name));
    return names;
  }

  void hide_others(json::Value& object, std::string_view member) const {
    if (auto* text = object.find(member); text && text->string()) *text = scrub(exchange_, *text->string());
  }

  Exchange& exchange_;
  build::Options options_;
  std::string id_;  ///< of the last line so far
  bool failed_ = false;
  bool lost_ = false;
  bool asked_again_ = false;
};

}  // namespace

std::unique_ptr<LineRule> make_build_rule(Exchange& exchange) { return std::make_unique<BuildRule>(exchange); }

}  // namespace podfence::rules::answer
