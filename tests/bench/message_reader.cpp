#include "tests/bench/message_reader.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace podfence::bench {

void MessageReader::reset() {
  place_ = Place::Head;
  head_.clear();
  line_.clear();
  content.clear();
  left_ = size_ = 0;
}

int MessageReader::status() const { return head_.size() > 12 ? std::atoi(head_.c_str() + 9) : 0; }

std::string_view MessageReader::field(std::string_view name) const {
  const auto at = head_.find("\r\n" + std::string(name) + ": ");
  if (at == std::string::npos) return {};
  const auto begin = at + name.size() + 4;
  return std::string_view(head_).substr(begin, head_.find('\r', begin) - begin);
}

void MessageReader::read_head() {
  std::transform(head_.begin() + static_cast<std::ptrdiff_t>(head_.find('\n')), head_.end(),
                 head_.begin() + static_cast<std::ptrdiff_t>(head_.find('\n')),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  place_ = Place::Done;
  if (field("transfer-encoding") == "chunked") place_ = Place::ChunkSize;
  if (const auto length = field("content-length"); !length.empty())
    left_ = std::strtoull(std::string(length).c_str(), nullptr, 10);
  if (left_ > 0) place_ = Place::Sized;
}

std::size_t MessageReader::take_head(std::string_view bytes) {
  const auto before = head_.size();
  const auto from = before < 3 ? 0 : before - 3;
  head_.append(bytes.substr(0, 16 * 1024));
  const auto end = head_.find("\r\n\r\n", from);
  if (end == std::string::npos) return head_.size() - before;
  head_.resize(end + 4);
  read_head();
  return head_.size() - before;
}

std::size_t MessageReader::take_data(std::string_view bytes) {
  const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
  // The line end behind a chunk is no content.
  const std::uint64_t behind = place_ == Place::ChunkData ? 2 : 0;
  const auto data = left_ > behind ? std::min<std::uint64_t>(taken, left_ - behind) : 0;
  if (keeps_content) content.append(bytes.substr(0, static_cast<std::size_t>(data)));
  size_ += data;
  left_ -= taken;
  if (left_ == 0) place_ = place_ == Place::Sized ? Place::Done : Place::ChunkSize;
  return taken;
}

void MessageReader::take_line_character(char c) {
  if (c != '\n') {
    if (c != '\r') line_.push_back(c);
    return;
  }
  if (place_ == Place::Trailer) {
    if (line_.empty()) place_ = Place::Done;
  } else {
    const auto size = std::strtoull(line_.c_str(), nullptr, 16);
    left_ = size + 2;
    place_ = size == 0 ? Place::Trailer : Place::ChunkData;
  }
  line_.clear();
}

std::size_t MessageReader::take(std::string_view bytes) {
  std::size_t used = 0;
  while (used < bytes.size() && place_ != Place::Done) {
    const auto rest = bytes.substr(used);
    if (place_ == Place::Head) {
      used += take_head(rest);
    } else if (place_ == Place::Sized || place_ == Place::ChunkData) {
      used += take_data(rest);
    } else {
      take_line_character(rest[0]);
      ++used;
    }
  }
  return used;
}

}  // namespace podfence::bench
