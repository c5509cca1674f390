#include "rules/tar.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <set>
#include <string_view>

namespace podfence::rules {

namespace {

constexpr std::size_t block = 512;

void put(std::string& header, std::size_t at, std::string_view text) { header.replace(at, text.size(), text); }

/// Digits of base eight with zeros in front; the field's last byte stays NUL.
void put_number(std::string& header, std::size_t at, std::size_t width, std::size_t number) {
  for (std::size_t i = width - 1; i-- > 0; number /= 8) header[at + i] = static_cast<char>('0' + number % 8);
}

/// The fields of the ustar header (POSIX.1-1988): name, mode, uid, gid, size, mtime, checksum, type, magic.
void add_header(std::string& archive, std::string_view path, unsigned mode, std::size_t size, char type) {
  std::string header(block, '\0');
  put(header, 0, path);
  put_number(header, 100, 8, mode);
  put_number(header, 108, 8, 0);
  put_number(header, 116, 8, 0);
  put_number(header, 124, 12, size);
  put_number(header, 136, 12, 0);
  put(header, 148, "        ");
  header[156] = type;
  put(header, 257, std::string_view("ustar\00000", 8));
  const auto sum = std::accumulate(header.begin(), header.end(), std::size_t{0},
                                   [](std::size_t total, char c) { return total + static_cast<unsigned char>(c); });
  put_number(header, 148, 7, sum);
  header[154] = '\0';
  archive += header;
}

void pad(std::string& archive) { archive.resize((archive.size() + block - 1) / block * block, '\0'); }

}  // namespace

std::string write_tar(std::span<const TarFile> files) {
  std::string archive;
  std::set<std::string> directories;
  for (const auto& [path, content, mode] : files) {
    for (auto slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
      if (directories.insert(path.substr(0, slash)).second)
        add_header(archive, path.substr(0, slash + 1), 0755, 0, '5');
    add_header(archive, path, mode, content.size(), '0');
    archive += content;
    pad(archive);
  }
  return archive.append(2 * block, '\0');
}

}  // namespace podfence::rules
