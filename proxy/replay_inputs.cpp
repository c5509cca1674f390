#include "proxy/replay_inputs.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <stdexcept>

#include "proxy/load.hpp"

namespace podfence::proxy {
namespace {

namespace files = std::filesystem;

bool take_file(const std::string& path, const TakeInput& take) {
  auto [bytes, wrong] = read_file(path);
  if (!wrong.empty()) throw std::runtime_error(path + ": " + wrong);
  return take(path, std::move(bytes));
}

bool take_folder(const std::string& path, const TakeInput& take) {
  std::vector<std::string> found;
  for (const auto& entry : files::recursive_directory_iterator(path))
    if (entry.is_regular_file()) found.push_back(entry.path().string());
  std::ranges::sort(found);
  return std::ranges::all_of(found, [&](const auto& file) { return take_file(file, take); });
}

bool take_standard_input(const TakeInput& take) {
  std::ios::sync_with_stdio(false);  // else every byte is taken for itself
  std::string bytes;
  for (std::size_t number = 1; std::getline(std::cin, bytes, '\0'); ++number)
    if (!take("-:" + std::to_string(number), std::move(bytes))) return false;
  return true;
}

}  // namespace

void each_input(const std::vector<std::string>& paths, const TakeInput& take) {
  for (const auto& path : paths) {
    const bool goes_on = path == "-"                 ? take_standard_input(take)
                         : files::is_directory(path) ? take_folder(path, take)
                                                     : take_file(path, take);
    if (!goes_on) return;
  }
}

}  // namespace podfence::proxy
