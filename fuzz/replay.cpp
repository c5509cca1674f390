// Runs a fuzz target on every file of the folders named, in place of libFuzzer's main.

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

#include "fuzz/fuzz.hpp"

int main(int count, char** arguments) {
  std::size_t inputs = 0;
  for (int i = 1; i < count; ++i)
    for (const auto& file : std::filesystem::directory_iterator(arguments[i])) {
      std::ifstream stream(file.path(), std::ios::binary);
      const std::vector<char> bytes((std::istreambuf_iterator<char>(stream)), {});
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
      ++inputs;
    }
  std::cout << inputs << " inputs\n";
  return inputs == 0;
}
