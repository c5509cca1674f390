#pragma once
// Finds the end of HTTP messages that are well-formed, for both ends of the bench: the engine reads requests with it,
// the load reads answers. It checks nothing.

#include <cstdint>
#include <string>
#include <string_view>

namespace podfence::bench {

class MessageReader {
 public:
  /// Takes bytes up to the end of the message: how many those were. Behind the end it takes none.
  std::size_t take(std::string_view bytes);
  bool has_head() const { return place_ != Place::Head; }
  bool complete() const { return place_ == Place::Done; }
  /// Start line and fields, in lower case but for the start line; when has_head().
  const std::string& head() const { return head_; }
  /// Of an answer.
  int status() const;
  /// The value of a field, "" without one. `name` in lower case.
  std::string_view field(std::string_view name) const;
  /// Bytes of content so far.
  std::uint64_t size() const { return size_; }
  /// What content there is behind the last `take`, as long as nobody clears it; only when kept.
  std::string content;
  bool keeps_content = false;

  void reset();

 private:
  enum class Place { Head, Sized, ChunkSize, ChunkData, Trailer, Done };
  void read_head();
  std::size_t take_head(std::string_view bytes);
  std::size_t take_data(std::string_view bytes);
  void take_line_character(char c);

  Place place_ = Place::Head;
  std::string head_;
  std::string line_;        ///< of a chunk's size, or a trailer
  std::uint64_t left_ = 0;  ///< of the content, or of the chunk with its line end
  std::uint64_t size_ = 0;
};

}  // namespace podfence::bench
