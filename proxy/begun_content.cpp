#include "proxy/begun_content.hpp"

#include <utility>

namespace podfence::proxy {

namespace {

/// A header of tar. Podman has seen enough of it after ten.
constexpr std::size_t beginning_bytes = 512;

}  // namespace

Task<bool> BegunContent::begin() {
  while (beginning_.size() < beginning_bytes) {
    const auto piece = co_await content_.next();
    if (piece.empty()) co_return content_.complete();
    beginning_.append(piece);
  }
  co_return true;
}

Task<ContentPiece> BegunContent::next_piece() {
  if (!std::exchange(given_, true) && !beginning_.empty()) co_return ContentPiece(beginning_);
  co_return co_await content_.next_piece();
}

}  // namespace podfence::proxy
