#pragma once
// Takes the chunked coding off (RFC 9112 section 7.1). Strict: hexadecimal sizes without sign or space, CRLF only.
// Chunk extensions are dropped, and bounded: all of a message together, since there is no end of chunks. Written by
// hand because the parser at hand merges trailers into the fields that were judged before, and swallows extensions
// without a bound.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace podfence::proxy {

class ChunkDecoder {
 public:
  /// Refuse: a trailer field makes the message malformed. Drop: trailer fields are read and thrown away.
  enum class Trailers { Refuse, Drop };
  enum class State { Reading, Done, Malformed, TooLarge };
  struct Limits {
    std::size_t extension_bytes = 4 * 1024;
    std::size_t trailer_bytes = 4 * 1024;
  };

  ChunkDecoder(Trailers trailers, const Limits& limits) : trailers_(trailers), left_(limits) {}
  explicit ChunkDecoder(Trailers trailers) : ChunkDecoder(trailers, Limits()) {}

  struct Step {
    std::size_t consumed = 0;  ///< bytes of the input that are done with, `data` among them
    std::string_view data;     ///< content, a part of the input
  };
  /// Goes on until it has content, the end, or used the whole input up. Bytes behind the end are left.
  Step advance(std::string_view input);
  State state() const;
  /// Of the chunk that has begun, bytes of content that have not come yet.
  std::uint64_t left() const { return size_; }
  /// All content of a chunk has come, and the line end behind it has not begun.
  bool is_behind_data() const { return place_ == Place::DataCr; }

 private:
  enum class Place {
    Size,
    Extension,
    SizeLf,
    Data,
    DataCr,
    DataLf,
    Line,
    Trailer,
    TrailerLf,
    LastLf,
    Done,
    Malformed,
    TooLarge
  };

  Place after(char c);
  Place after_size(char c);
  Place after_text(char c, std::size_t& left, Place end);

  Trailers trailers_;
  Limits left_;
  Place place_ = Place::Size;
  std::uint64_t size_ = 0;  ///< of the chunk, what is left of it
  std::size_t digits_ = 0;  ///< of a size
};

}  // namespace podfence::proxy
