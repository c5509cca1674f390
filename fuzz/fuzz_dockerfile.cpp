#include <map>

#include "fuzz/fuzz.hpp"
#include "rules/dockerfile/dockerfile.hpp"

using namespace podfence;
namespace dockerfile = rules::dockerfile;

namespace {

/// An image of that name; the id that is written stands for itself when it is read again.
std::string id_of(const dockerfile::Image& image) {
  constexpr std::size_t digits = 64;
  return image.name.size() == digits && image.name.find_first_not_of("0123456789abcdef") == std::string::npos
             ? image.name
             : std::string(digits, 'a');
}

std::string written(const dockerfile::File& file) {
  std::map<dockerfile::Image, std::string> ids;
  for (const auto& image : dockerfile::images(file)) ids[image] = id_of(image);
  const auto text = dockerfile::write(file, ids, {});
  const auto* result = std::get_if<std::string>(&text);
  return result ? *result : "";
}

void check(std::string_view text, const dockerfile::Options& options) {
  const auto file = dockerfile::parse(text, options);
  if (!std::holds_alternative<dockerfile::File>(file)) return;
  const auto once = written(std::get<dockerfile::File>(file));
  if (once.empty()) return;  // a line that became too long
  const auto again = dockerfile::parse(once, options);
  fuzz::claim(std::holds_alternative<dockerfile::File>(again), "what was written is accepted");
  fuzz::claim(written(std::get<dockerfile::File>(again)) == once, "the same text");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  dockerfile::Options options;
  options.label_key = "appx.project";
  options.label_value = "p1";
  options.cache_prefix = "podfence.p1.";
  options.secrets = options.ssh = options.urls = options.all_stages = true;
  for (const auto engine : {rules::EngineVersion{4, 3}, rules::EngineVersion{5, 4}}) {
    options.engine = engine;
    check(text, options);
  }
  return 0;
}
