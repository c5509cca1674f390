#pragma once
// Messages on connections: heads and content in, heads and content out. Content moves piece by piece; what is written
// has our framing, whatever the framing was in which it came.

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "proxy/chunk_decoder.hpp"
#include "proxy/connection.hpp"
#include "proxy/framing.hpp"
#include "proxy/head.hpp"

namespace podfence::proxy {

/// The connection ended, or was interrupted, before the message was complete.
struct Ended {};

Task<std::variant<RequestHead, RefusedHead, Ended>> read_request_head(Connection& connection, const Limits& limits);

/// The head of an upstream answer. `upgrade`: 101 is one of the possible answers. Interim answers are swallowed.
enum class AnswerFailure { Silent, Invalid };  ///< Silent: the connection ended before the first byte
Task<std::variant<AnswerHead, AnswerFailure>> read_answer_head(Connection& connection, bool to_head, bool upgrade);

/// What moves from one connection to the other.
struct ContentPiece {
  ContentPiece() = default;
  ContentPiece(std::string_view all_content) : bytes(all_content), content(all_content.size()) {}
  static ContentPiece framed(std::string_view bytes, std::size_t content) {
    ContentPiece piece(bytes);
    piece.content = content;
    piece.is_framed = true;
    return piece;
  }
  bool empty() const { return bytes.empty(); }

  std::string_view bytes;
  std::size_t content = 0;  ///< bytes of content among them
  bool is_framed = false;   ///< the framing of chunks is among them, exactly as ContentWriter writes it
};

class ContentReader {
 public:
  enum class State { Open, Complete, Truncated, Malformed, TooLarge };

  ContentReader(Connection& connection, const Framing& framing, ChunkDecoder::Trailers trailers,
                const ChunkDecoder::Limits& chunk_limits);

  /// The next piece, in the connection's buffer until something else is read there. Empty only when nothing follows.
  Task<std::string_view> next();
  /// What has been received of the content already; may be empty.
  std::string_view take();
  /// The same, to be passed on. Chunks that came as ContentWriter would write them stay as they are, many in a piece:
  /// none of their bytes has to be moved. Not to be mixed with the two above.
  Task<ContentPiece> next_piece();
  ContentPiece take_piece();
  State state() const { return state_; }

 private:
  template <class What>
  Task<What> next_of(What (ContentReader::*taken)());
  std::string_view take_chunk();
  std::optional<std::size_t> framing_of(std::string_view before, std::size_t chunk_size) const;
  ContentPiece take_framed();
  ContentPiece take_unframed();

  Connection& connection_;
  Framing framing_;
  ChunkDecoder decoder_;
  bool chunk_is_open_ = false;  ///< it was begun with its framing, and its line end has not been passed on
  State state_ = State::Open;
};

class ContentWriter {
 public:
  ContentWriter(Connection& connection, const Framing& framing) : connection_(connection), framing_(framing) {}

  /// Sent at once, behind `head`. An empty piece is not sent: as a chunk it would be the end.
  Task<bool> write(ContentPiece piece, std::string_view head = {});
  /// Each is a piece, and all go out together.
  Task<bool> write_each(const std::vector<std::string>& pieces);
  Task<bool> finish();

 private:
  Connection& connection_;
  Framing framing_;
};

}  // namespace podfence::proxy
