#pragma once
// A second, small reading of HTTP/1.1 messages (RFC 9112), written from the grammar alone and over the whole text. It
// accepts what is beyond doubt and nothing else: whatever the proxy accepts must be in here, and end where this says.

#include <optional>
#include <string>
#include <string_view>

namespace podfence::fuzz {

enum class Side { Request, Answer, AnswerToHead };

struct StrictMessage {
  std::string first;      ///< the method, or the three digits of the status
  std::string target;     ///< of a request
  std::size_t head = 0;   ///< bytes of the head
  std::size_t end = 0;    ///< where the message ends
  bool complete = false;  ///< false: its content is cut short, or ends with the connection
  std::string content;
};

/// nullopt: no message, or not yet.
std::optional<StrictMessage> read_strictly(std::string_view text, Side side);

}  // namespace podfence::fuzz
