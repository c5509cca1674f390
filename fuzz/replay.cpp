// Runs a fuzz target in place of libFuzzer's main: on every file below the folders named, and on a few mutations of
// each, always the same ones.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <vector>

#include "fuzz/fuzz.hpp"

extern "C" {
/// Of the structure-aware mutation, where the target is linked with one.
std::size_t __attribute__((weak))
LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);
/// What libFuzzer offers it: here one byte is changed, put in, or taken out.
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
}

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr unsigned mutations = 8;
constexpr std::size_t room = 4096;

std::minstd_rand& random_number() {
  static std::minstd_rand generator;
  return generator;
}

Bytes content_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Bytes mutated(Bytes input, unsigned seed) {
  const auto size = input.size();
  input.resize(size + room);
  random_number().seed(seed + 1);
  const auto mutate = [&] {
    return LLVMFuzzerCustomMutator ? LLVMFuzzerCustomMutator(input.data(), size, input.size(), seed)
                                   : LLVMFuzzerMutate(input.data(), size, input.size());
  };
  input.resize(mutate());
  return input;
}

std::vector<std::filesystem::path> files_below(const char* folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most) {
  auto& random = random_number();
  const std::size_t at = size == 0 ? 0 : random() % size;
  const auto byte = static_cast<std::uint8_t>(random());
  if (random() % 3 == 0 && size < most) {
    std::copy_backward(data + at, data + size, data + size + 1);
    data[at] = byte;
    return size + 1;
  }
  if (random() % 2 == 0 && size > 1) {
    std::copy(data + at + 1, data + size, data + at);
    return size - 1;
  }
  if (size > 0) data[at] = byte;
  return size;
}

int main(int count, char** arguments) {
  std::size_t inputs = 0;
  for (int i = 1; i < count; ++i)
    for (const auto& file : files_below(arguments[i])) {
      const auto input = content_of(file);
      // Named in time for an input that ends the process.
      std::cerr << file.string() << '\n';
      LLVMFuzzerTestOneInput(input.data(), input.size());
      for (unsigned seed = 0; seed < mutations; ++seed) {
        const auto other = mutated(input, seed);
        LLVMFuzzerTestOneInput(other.data(), other.size());
      }
      ++inputs;
    }
  std::cout << inputs << " inputs, and " << mutations << " mutations of each\n";
  return inputs == 0;
}
