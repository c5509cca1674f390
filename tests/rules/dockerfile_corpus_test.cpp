// Over fifty small Dockerfiles, and what each is written as. tests/real/suites/dockerfiles.py builds both on a real
// Podman and compares the images. PODFENCE_WRITE_DOCS=1 writes the second ones anew.

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "dockerfile.hpp"

using namespace podfence::tests::dockerfile;

namespace {

const std::filesystem::path corpus = PODFENCE_SOURCE_DIR "/tests/data/dockerfiles";

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <typename Each>
std::size_t for_each_case(Each each) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    if (entry.path().extension() != ".dockerfile") continue;
    ++count;
    CAPTURE(entry.path().filename().string());
    each(entry.path());
  }
  return count;
}

bool is_for_podman_4(const std::filesystem::path& path) {
  const auto name = path.filename().string();
  return !name.starts_with("heredoc-") && !name.starts_with("run-network");
}

}  // namespace

TEST_CASE("the corpus is written as it was when both texts were built") {
  const auto count = for_each_case([](const auto& path) {
    const auto written = canonical(read(path), options());
    auto expected = path;
    expected.replace_extension(".canonical");
    if (std::getenv("PODFENCE_WRITE_DOCS") != nullptr) std::ofstream(expected, std::ios::binary) << written;
    CHECK(written == read(expected));
  });
  CHECK(count >= 55);
}

TEST_CASE("what is written is read as the same file, and written as the same text") {
  for_each_case([](const auto& path) {
    for (const auto engine : {podman_4, podman_5}) {
      if (engine == podman_4 && !is_for_podman_4(path)) continue;
      auto with = options(engine);
      with.all_stages = true;
      const auto once = canonical(read(path), with);
      CHECK(canonical(once, with) == once);
      // Images apart, the structure is the same.
      auto first = std::get<File>(parse(read(path), with)), second = std::get<File>(parse(once, with));
      const auto name = [](Source& source) {
        if (auto* image = std::get_if<Image>(&source)) image->name = id(image->name);
      };
      for (auto* file : {&first, &second})
        for (auto& stage : file->stages) {
          name(stage.base);
          for (auto& instruction : stage.instructions) {
            if (instruction.from) name(*instruction.from);
            for (auto& mount : instruction.mounts)
              if (mount.from) name(*mount.from);
          }
        }
      CHECK(first == second);
    }
  });
}

TEST_CASE("an old Podman is told what it would read otherwise") {
  for_each_case([](const auto& path) {
    const auto on_4 = canonical(read(path), options(podman_4));
    if (is_for_podman_4(path)) {
      auto expected = path;
      CHECK(on_4 == read(expected.replace_extension(".canonical")));
    } else {
      CHECK((rule_of(on_4) == "dockerfile.heredoc" || rule_of(on_4) == "dockerfile.flag"));
    }
  });
}
