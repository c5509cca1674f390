#pragma once
// Tar archives by libarchive: read from a file, plain or compressed, and written anew in one form (pax, POSIX.1-2001),
// with nothing that the reader did not report. Errors are ArchiveError with a sentence.

#include <archive.h>
#include <archive_entry.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "rules/archive.hpp"

namespace podfence::proxy {

struct ArchiveError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class ArchiveReader {
 public:
  explicit ArchiveReader(int descriptor);

  /// To the next member. False: none follows.
  bool next();
  const rules::ArchiveMember& member() const { return member_; }
  /// More of the member's content, "" at its end; holes are zeros. Valid until the next call.
  std::string_view read();
  /// Passes over a piece of the rest of the member's content. False: nothing of it is left.
  bool skip();
  /// Bytes that have been read so far, unpacked.
  std::uint64_t unpacked() const;
  archive_entry* entry() const { return entry_; }

 private:
  struct Free {
    void operator()(archive* handle) const { archive_read_free(handle); }
  };
  void read_block();

  std::unique_ptr<archive, Free> handle_;
  archive_entry* entry_ = nullptr;
  rules::ArchiveMember member_;
  std::uint64_t position_ = 0;     ///< in the member's content
  std::string_view block_;         ///< read, and not given out
  std::uint64_t block_begin_ = 0;  ///< its position; what lies before it is a hole
};

class ArchiveWriter {
 public:
  ArchiveWriter();

  /// A member with the attributes of `entry`, under its clean name.
  void begin(archive_entry* entry, const rules::ArchiveMember& member);
  /// A plain file with this content.
  void add(const std::string& name, std::string_view text);
  void write(std::string_view content);
  void finish();

  /// What has been written and not been taken yet.
  std::string& written() { return written_; }

 private:
  struct Free {
    void operator()(archive* handle) const { archive_write_free(handle); }
  };
  std::unique_ptr<archive, Free> handle_;
  std::string written_;
};

}  // namespace podfence::proxy
