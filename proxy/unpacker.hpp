#pragma once
// Takes the compression off a content: gzip, bzip2 and zstd by libarchive, xz by liblzma itself, since libarchive lets
// an xz file choose up to a gigabyte of memory. One layer and no more: what is packed twice stays packed once.

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "proxy/archive_error.hpp"

namespace podfence::proxy {

enum class Compression { None, Gzip, Bzip2, Xz, Zstandard };

/// By the first bytes of a content.
Compression compression_of(std::string_view beginning);
inline constexpr std::size_t compression_mark_bytes = 10;

/// The most memory that unpacking takes: the window, and what the library needs beside it.
std::size_t memory_to_unpack(Compression compression);

class Unpacker {
 public:
  /// Pieces of the packed content, each valid until the next call; "" at the end.
  using Source = std::function<std::string_view()>;

  Unpacker(Compression compression, Source source);
  ~Unpacker();
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  /// The next piece of the unpacked content, valid until the next call; "" at its end. Throws ArchiveError.
  std::string_view read();

  class Method;  ///< one for each library

 private:
  std::unique_ptr<Method> method_;
};

}  // namespace podfence::proxy
