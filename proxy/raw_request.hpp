#pragma once
// A request as somebody has written it down. Bytes with CR LF are taken as they are, however wrong they may be: what
// the proxy says to them is the answer. A text with plain line ends, as an editor or `curl -v` leaves it, is completed.

#include <string>
#include <vector>

namespace podfence::proxy {

struct RawRequest {
  std::string bytes;
  std::vector<std::string> notes;  ///< what was completed, in phrases for people
};

RawRequest raw_request(std::string text);

}  // namespace podfence::proxy
