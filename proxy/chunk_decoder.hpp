#pragma once
// Takes the chunked coding off (RFC 9112 section 7.1). Strict: hexadecimal sizes without sign or space, CRLF only,
// bounded lines. Chunk extensions are dropped. Written by hand because the parser at hand merges trailers into the
// fields that were judged before, and swallows extensions without a bound.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace podfence::proxy {

class ChunkDecoder {
 public:
  /// Refuse: a trailer field makes the message malformed. Drop: trailer fields are read and thrown away.
  enum class Trailers { Refuse, Drop };
  enum class State { Reading, Done, Malformed };

  explicit ChunkDecoder(Trailers trailers) : trailers_(trailers) {}

  struct Step {
    std::size_t consumed = 0;  ///< bytes of the input that are done with, `data` among them
    std::string_view data;     ///< content, a part of the input
  };
  /// Goes on until it has content, the end, or used the whole input up. Bytes behind the end are left.
  Step advance(std::string_view input);
  State state() const;

 private:
  enum class Place { Size, Extension, SizeLf, Data, DataCr, DataLf, Line, Trailer, TrailerLf, LastLf, Done, Malformed };

  Place after(char c);
  Place after_size(char c);
  Place after_text(char c, Place end);

  Trailers trailers_;
  Place place_ = Place::Size;
  std::uint64_t size_ = 0;  ///< of the chunk, what is left of it
  std::size_t count_ = 0;   ///< digits of a size, then bytes of its extension, or of all trailers
};

}  // namespace podfence::proxy
