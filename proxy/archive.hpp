#pragma once
// Tar archives by libarchive: read from a file that is not compressed (unpacker.hpp), and written anew in one form
// (pax, POSIX.1-2001), with nothing that the reader did not report. Errors are ArchiveError.

#include <archive.h>
#include <archive_entry.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "proxy/archive_error.hpp"
#include "rules/archive.hpp"

namespace podfence::proxy {

/// The most that a member's header may take in the file, with its extensions and the map of a sparse file: libarchive
/// keeps twelve times a map's size.
inline constexpr std::uint64_t max_header_bytes = 2 * 1024 * 1024;

/// Loads what archives need of the C library, for a process that will not be able to (confinement.hpp).
void prepare_archives();

/// Throws std::system_error where the file cannot be read.
class ArchiveReader {
 public:
  explicit ArchiveReader(int descriptor);

  /// To the next member. False: none follows.
  bool next();
  const rules::ArchiveMember& member() const { return member_; }
  /// More of the member's content, "" at its end; holes are zeros. Valid until the next call.
  std::string_view read();
  /// Passes over the rest of the member's content; in a file this is one seek.
  void skip();
  /// How far in the file.
  std::uint64_t position() const;
  archive_entry* entry() const { return entry_; }

 private:
  struct Free {
    void operator()(archive* handle) const { archive_read_free(handle); }
  };
  void check(int result);
  la_ssize_t give(const void** bytes);
  la_int64_t pass_over(la_int64_t bytes);
  void read_block();

  int descriptor_;
  std::string buffer_;
  std::uint64_t header_bytes_ = 0;  ///< read since next() began
  int broken_ = 0;                  ///< why the file cannot be read: errno
  std::unique_ptr<archive, Free> handle_;
  archive_entry* entry_ = nullptr;
  rules::ArchiveMember member_;
  std::uint64_t given_ = 0;        ///< of the member's content
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
  std::string written_;  // before the handle: an archive that is given up still writes its end when it is freed
  std::unique_ptr<archive, Free> handle_;
};

}  // namespace podfence::proxy
