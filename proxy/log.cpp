#include "proxy/log.hpp"

#include <unistd.h>

#include <string>

namespace podfence::proxy {

void log(std::string_view line) {
  std::string text = "podfence: ";
  // Messages hold paths and texts of other programs; a line stays a line.
  for (const char c : line) text += static_cast<unsigned char>(c) < ' ' || c == 0x7f ? ' ' : c;
  text += '\n';
  (void)!write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace podfence::proxy
