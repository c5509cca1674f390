#pragma once
// A client that sends exactly the bytes it is told, in the pieces it is told, and reads answers more strictly than any
// real client does.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/socket.hpp"

namespace podfence::testing {

struct WireAnswer {
  int status = 0;    ///< 0: no answer that could be read, `problem` says why
  std::string head;  ///< raw, with the empty line
  std::string content;
  std::vector<std::string> chunks;  ///< as they were cut, the last (empty) one left out
  bool chunked = false;
  bool until_end = false;  ///< neither Content-Length nor chunked: what follows is the rest of the connection
  std::string problem;     ///< "" when the message was complete and well formed

  bool complete() const { return status != 0 && problem.empty(); }
  /// Value of the only field of that name; "" when there is none, "<twice>" when there are more.
  std::string field(std::string_view name) const;
};

class RawClient {
 public:
  explicit RawClient(const std::string& path) : socket_(Socket::connect(path)) {}

  /// Sending never fails loudly: a proxy that refused early has closed its end, and its answer can still be read.
  void send(std::string_view bytes) { socket_.send(bytes); }
  void send_bytewise(std::string_view bytes);
  void send_split(std::string_view bytes, std::size_t position);
  void half_close() { socket_.shutdown_write(); }
  void vanish() { socket_.close(); }

  /// The next message. A HEAD's answer has no content whatever its fields say.
  WireAnswer read_answer(Milliseconds timeout = patience, bool of_head = false);
  /// Only the head of the next message; its content stays to be read by the calls below.
  WireAnswer read_head(Milliseconds timeout = patience);
  /// Everything up to and with `text`; what came until then if the time or the connection ended first.
  std::string read_until(std::string_view text, Milliseconds timeout = patience);
  /// Everything to the end of the connection, which must come in time: what is returned says so when it does not.
  std::string read_to_end(Milliseconds timeout = patience);
  /// Did the proxy end the connection, with nothing more to read?
  bool ended(Milliseconds timeout = patience);
  /// True when nothing arrives for that long.
  bool silent(Milliseconds timeout);

  WireAnswer request(std::string_view bytes, Milliseconds timeout = patience) {
    send(bytes);
    return read_answer(timeout, bytes.starts_with("HEAD "));
  }

 private:
  bool fill(std::chrono::steady_clock::time_point end);
  void read_sized(WireAnswer& answer, std::size_t size, std::chrono::steady_clock::time_point end);
  void read_chunked(WireAnswer& answer, std::chrono::steady_clock::time_point end);
  bool read_line(std::string& line, std::chrono::steady_clock::time_point end);

  Socket socket_;
  std::string buffer_;
  bool at_end_ = false;
};

}  // namespace podfence::testing
