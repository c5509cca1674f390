#pragma once
// What the fuzz targets have in common: claims, and pieces into which an input is cut. A broken claim ends the process,
// which is how libFuzzer, AFL++ and the replay notice.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace podfence::fuzz {

/// `evidence` is printed with a claim that is broken.
inline void claim(bool holds, const char* what, std::string_view evidence = {}) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::fwrite(evidence.data(), 1, evidence.size(), stderr);
  std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Sizes of the pieces in which an input arrives: all at once, byte by byte, or any, as the input itself tells.
class Pieces {
 public:
  static Pieces whole() { return Pieces(Kind::Whole, 0); }
  static Pieces bytes() { return Pieces(Kind::Bytes, 0); }
  static Pieces of(std::string_view input) {
    std::uint64_t seed = 0xcbf29ce484222325u;  // FNV-1a
    for (const char c : input) seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return Pieces(Kind::Any, seed | 1);
  }

  /// Of what is left, which is not empty.
  std::size_t next(std::size_t left) {
    if (kind_ == Kind::Whole) return left;
    if (kind_ == Kind::Bytes) return 1;
    constexpr std::size_t longest = 48;
    seed_ ^= seed_ << 13;
    seed_ ^= seed_ >> 7;
    seed_ ^= seed_ << 17;
    const std::size_t size = 1 + seed_ % longest;
    return size < left ? size : left;
  }

 private:
  enum class Kind { Whole, Bytes, Any };
  Pieces(Kind kind, std::uint64_t seed) : kind_(kind), seed_(seed) {}
  Kind kind_;
  std::uint64_t seed_;
};

}  // namespace podfence::fuzz
