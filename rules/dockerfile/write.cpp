// The canonical text: one instruction a line, names and flags in our own spelling, every image by its id.

#include <algorithm>
#include <set>

#include "rules/dockerfile/dockerfile.hpp"
#include "rules/dockerfile/instruction.hpp"
#include "rules/image_name.hpp"

namespace podfence::rules::dockerfile {

namespace {

/// imagebuilder 1.2.3 reads no longer line (reading.cpp).
constexpr std::size_t max_written_line = 65'000;

class Writer {
 public:
  Writer(const File& file, const std::map<Image, std::string>& ids) : file_(file), ids_(ids) {}

  std::variant<std::string, Deny> text(std::span<const std::string> behind_from) {
    for (const auto& argument : file_.heading) write(argument);
    for (const auto& stage : file_.stages) {
      write_from(stage);
      if (!stage.needed) continue;
      for (const auto& line : behind_from) text_.append(line).append("\n");
      for (const auto& instruction : stage.instructions) write(instruction);
    }
    if (refused_) return std::move(*refused_);
    return std::move(text_);
  }

 private:
  /// A stage that nobody needs stays as a place, since others are counted.
  void write_from(const Stage& stage) {
    line_ = "FROM";
    if (!stage.platform.empty()) line_ += " --platform=" + stage.platform;
    line_ += " " + (stage.needed ? name_of(stage.base) : "scratch");
    if (!stage.name.empty()) line_ += " AS " + stage.name;
    end_line();
  }

  void write(const Instruction& instruction) {
    line_ = instruction.row->name;
    if (instruction.from) line_ += " --from=" + name_of(*instruction.from);
    for (const auto& flag : instruction.flags) {
      line_ += " --" + flag.name;
      if (flag.value) line_ += "=" + *flag.value;
    }
    for (const auto& mount : instruction.mounts) write_mount(mount);
    // What begins like a flag is none behind this (split_command.go: extractBuilderFlags).
    line_ += (instruction.rest.starts_with("--") ? " -- " : " ") + instruction.rest;
    end_line();
    for (const auto& heredoc : instruction.heredocs) {
      for (const auto& line : heredoc.lines) text_.append(line).append("\n");
      text_.append(heredoc.name).append("\n");
    }
  }

  void write_mount(const Mount& mount) {
    line_ += " --mount=";
    for (const auto& [key, value] : mount.options) {
      if (line_.back() != '=') line_ += ",";
      line_ += key;
      if (!value.empty()) line_ += "=" + value;
    }
    if (mount.from) line_ += ",from=" + name_of(*mount.from);
  }

  void end_line() {
    if (line_.size() > max_written_line) refused_ = Deny{refusal("dockerfile.too-large"), "an instruction", Kind::None};
    text_.append(line_).append("\n");
  }

  std::string name_of(const Source& source) {
    if (std::holds_alternative<Scratch>(source)) return "scratch";
    if (const auto* stage = std::get_if<StageReference>(&source)) {
      const auto& name = file_.stages[stage->position].name;
      return name.empty() ? std::to_string(stage->position) : name;
    }
    const auto& image = std::get<Image>(source);
    const auto found = ids_.find(image);
    const auto id = found == ids_.end() ? std::nullopt : full_image_id(found->second);
    if (!id) refused_ = Deny{refusal("dockerfile.image"), image.name, Kind::None};
    return id.value_or("");
  }

  const File& file_;
  const std::map<Image, std::string>& ids_;
  std::string line_, text_;
  std::optional<Deny> refused_;
};

}  // namespace

std::vector<Image> images(const File& file) {
  std::vector<Image> images;
  std::set<Image> seen;
  const auto note = [&](const Source& source) {
    if (const auto* image = std::get_if<Image>(&source); image && seen.insert(*image).second) images.push_back(*image);
  };
  for (const auto& stage : file.stages) {
    if (!stage.needed) continue;
    note(stage.base);
    for (const auto& instruction : stage.instructions) {
      if (instruction.from) note(*instruction.from);
      for (const auto& mount : instruction.mounts)
        if (mount.from) note(*mount.from);
    }
  }
  return images;
}

std::variant<std::string, Deny> write(const File& file, const std::map<Image, std::string>& ids,
                                      std::span<const std::string> behind_from) {
  return Writer(file, ids).text(behind_from);
}

}  // namespace podfence::rules::dockerfile
