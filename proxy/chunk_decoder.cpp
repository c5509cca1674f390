#include "proxy/chunk_decoder.hpp"

#include <algorithm>

namespace podfence::proxy {

namespace {

constexpr std::size_t max_size_digits = 16;

int hexadecimal(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_text(char c) { return c == '\t' || static_cast<unsigned char>(c) >= 0x20; }

}  // namespace

ChunkDecoder::State ChunkDecoder::state() const {
  switch (place_) {
    case Place::Done:
      return State::Done;
    case Place::Malformed:
      return State::Malformed;
    case Place::TooLarge:
      return State::TooLarge;
    default:
      return State::Reading;
  }
}

ChunkDecoder::Step ChunkDecoder::advance(std::string_view input) {
  Step step;
  while (step.consumed < input.size() && state() == State::Reading) {
    if (place_ != Place::Data) {
      place_ = after(input[step.consumed++]);
      continue;
    }
    const auto rest = input.substr(step.consumed);
    step.data = rest.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(rest.size(), size_)));
    step.consumed += step.data.size();
    size_ -= step.data.size();
    if (size_ == 0) place_ = Place::DataCr;
    return step;
  }
  return step;
}

ChunkDecoder::Place ChunkDecoder::after_size(char c) {
  if (const int digit = hexadecimal(c); digit >= 0) {
    if (++digits_ > max_size_digits) return Place::Malformed;
    size_ = size_ * 16 + static_cast<std::uint64_t>(digit);
    return Place::Size;
  }
  if (digits_ == 0) return Place::Malformed;
  digits_ = 0;
  if (c == ';') return Place::Extension;
  return c == '\r' ? Place::SizeLf : Place::Malformed;
}

ChunkDecoder::Place ChunkDecoder::after_text(char c, std::size_t& left, Place end) {
  if (c == '\r') return end;
  if (!is_text(c)) return Place::Malformed;
  if (left == 0) return Place::TooLarge;
  --left;
  return place_;
}

ChunkDecoder::Place ChunkDecoder::after(char c) {
  const auto expect = [c](char wanted, Place next) { return c == wanted ? next : Place::Malformed; };
  switch (place_) {
    case Place::Size:
      return after_size(c);
    case Place::Extension:
      return after_text(c, left_.extension_bytes, Place::SizeLf);
    case Place::SizeLf:
      return expect('\n', size_ == 0 ? Place::Line : Place::Data);
    case Place::DataCr:
      return expect('\r', Place::DataLf);
    case Place::DataLf:
      return expect('\n', Place::Size);
    case Place::Line:
      if (c == '\r') return Place::LastLf;
      if (trailers_ == Trailers::Refuse) return Place::Malformed;
      place_ = Place::Trailer;
      return after_text(c, left_.trailer_bytes, Place::TrailerLf);
    case Place::Trailer:
      return after_text(c, left_.trailer_bytes, Place::TrailerLf);
    case Place::TrailerLf:
      return expect('\n', Place::Line);
    case Place::LastLf:
      return expect('\n', Place::Done);
    case Place::Data:
    case Place::Done:
    case Place::Malformed:
    case Place::TooLarge:
      break;
  }
  return place_;
}

}  // namespace podfence::proxy
