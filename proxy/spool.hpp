#pragma once
// A file without a name that keeps a client's content until it has been judged. Nothing of it is left when it is
// closed, however podfence ends.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "proxy/private_file.hpp"

namespace podfence::proxy {

class Spool {
 public:
  /// Throws std::system_error when the directory takes no file.
  explicit Spool(const std::string& directory);

  /// Throws std::system_error when the disk is full.
  void append(std::string_view piece);
  std::uint64_t size() const { return size_; }
  /// At its beginning; for one reader at a time.
  int rewound() const;
  /// The bytes from there on, as many as fit into the buffer; "" at the end.
  std::string_view read(std::uint64_t position, std::span<char> buffer) const;

 private:
  File file_;
  std::uint64_t size_ = 0;
};

}  // namespace podfence::proxy
