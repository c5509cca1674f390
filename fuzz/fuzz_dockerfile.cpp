// Dockerfiles: `<digit><text>`; the digit's bits say how it is built. What is accepted is written so that it is read as
// the same and written as the same, names every image by the id that was found for it, and leaves its container by no
// flag and no mount.

#include <algorithm>
#include <array>
#include <set>

#include "fuzz/fuzz.hpp"
#include "rules/dockerfile/dockerfile.hpp"
#include "rules/dockerfile/instruction.hpp"
#include "rules/image_name.hpp"

using namespace podfence;
using namespace podfence::rules;
using namespace podfence::rules::dockerfile;
using fuzz::claim;

namespace {

Options options_of(char digit) {
  Options options;
  options.label_key = "appx.project";
  options.label_value = "p1";
  options.engine = digit & 1 ? EngineVersion{5, 4} : EngineVersion{4, 3};
  options.all_stages = digit & 2;
  options.secrets = options.ssh = options.urls = digit & 4;
  if (digit & 8) options.target = "last";
  options.build_args = {{"BASE", "mine:1"}, {"EMPTY", ""}};
  options.cache_prefix = "podfence.p1.";
  options.tmpfs_bytes = 1 << 20;
  return options;
}

std::string id_of(std::size_t number) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string id(64, 'c');
  for (std::size_t at = id.size(); number > 0; number /= 16) id[--at] = digits[number % 16];
  return id;
}

using Ids = std::map<Image, std::string>;

Ids found_for(const std::vector<Image>& images) {
  Ids ids;
  for (const auto& image : images) ids[image] = full_image_id(image.name).value_or(id_of(ids.size()));
  return ids;
}

/// Is it what a client may ask for, and none of what the host or other projects would notice?
void check_mount(const Mount& mount, const Options& options, const std::string& text) {
  const auto value = [&](std::string_view key) {
    const auto found = std::ranges::find(mount.options, key, &std::pair<std::string, std::string>::first);
    return found == mount.options.end() ? std::string() : found->second;
  };
  const auto type = value("type");
  claim(type == "bind" || type == "cache" || type == "tmpfs" || (options.secrets && type == "secret") ||
            (options.ssh && type == "ssh"),
        "a mount of a known kind", text);
  if (type == "cache") claim(value("id").starts_with(options.cache_prefix), "a cache of the project's own", text);
  claim(!mount.from || type == "bind", "only a bind is of an image", text);
}

void check_instruction(const Instruction& instruction, const Options& options, const std::string& text) {
  for (const auto& flag : instruction.flags) {
    claim(find_flag(*instruction.row, flag.name), "only flags of the table", text);
    if (flag.name == "network") claim(flag.value != "host", "no network of the host", text);
  }
  for (const auto& mount : instruction.mounts) check_mount(mount, options, text);
  claim(instruction.rest.find_first_of("\r\n") == std::string::npos, "an instruction is a line", text);
}

void check_images(const File& file, const Ids& ids, const std::string& text) {
  std::set<std::string> known;
  for (const auto& [image, id] : ids) known.insert(id);
  for (const auto& image : images(file)) claim(known.contains(image.name), "every image by the id found for it", text);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto input = fuzz::text_of(data, size);
  const auto options = options_of(input[0]);
  const auto parsed = parse(input.substr(1), options);
  const auto* file = std::get_if<File>(&parsed);
  if (!file) return 0;
  const auto ids = found_for(images(*file));
  const auto written = write(*file, ids, {});
  const auto* text = std::get_if<std::string>(&written);
  if (!text) return 0;
  const auto again = parse(*text, options);
  const auto* same = std::get_if<File>(&again);
  claim(same, "what is written is accepted", *text);
  check_images(*same, ids, *text);
  for (const auto& stage : same->stages)
    for (const auto& instruction : stage.instructions) check_instruction(instruction, options, *text);
  const auto twice = write(*same, found_for(images(*same)), {});
  const auto* same_text = std::get_if<std::string>(&twice);
  claim(same_text && *same_text == *text, "what is written is a fixpoint",
        *text + "\n---\n" + (same_text ? *same_text : ""));
  return 0;
}
