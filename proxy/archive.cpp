#include "proxy/archive.hpp"

#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace podfence::proxy {

namespace {

using Type = rules::ArchiveMember::Type;

constexpr std::size_t block_size = 64 * 1024;
constexpr std::array<char, block_size> zero_bytes{};
constexpr std::string_view zeros(zero_bytes.data(), zero_bytes.size());
constexpr mode_t permission_bits = 07777;

locale_t utf8() {
  static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (!locale) throw ArchiveError("the C library has no locale C.UTF-8");
  return locale;
}

/// libarchive reads and writes names in the locale of the thread; a program's is "C" until somebody says otherwise.
class Utf8Names {
 public:
  Utf8Names() : former_(uselocale(utf8())) {}
  ~Utf8Names() { uselocale(former_); }
  Utf8Names(const Utf8Names&) = delete;
  Utf8Names& operator=(const Utf8Names&) = delete;

 private:
  locale_t former_;
};

/// A warning is an error: what was not understood whole is not passed on.
void check(archive* handle, int result) {
  if (result == ARCHIVE_OK) return;
  const char* what = archive_error_string(handle);
  throw ArchiveError(what ? what : "unknown error");
}

Type type_of(archive_entry* entry) {
  if (archive_entry_hardlink(entry)) return Type::HardLink;
  switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
      return Type::File;
    case AE_IFDIR:
      return Type::Directory;
    case AE_IFLNK:
      return Type::SymbolicLink;
    default:
      return Type::Other;
  }
}

std::string text(const char* value) { return value ? value : ""; }

rules::ArchiveMember member_of(archive_entry* entry) {
  const char* name = archive_entry_pathname(entry);
  if (!name) throw ArchiveError("a member without a name");
  rules::ArchiveMember member{type_of(entry), name};
  if (member.type == Type::HardLink) member.link = text(archive_entry_hardlink(entry));
  if (member.type == Type::SymbolicLink) member.link = text(archive_entry_symlink(entry));
  if (member.type == Type::File) {
    if (archive_entry_size(entry) < 0) throw ArchiveError("a member of negative size");
    member.size = static_cast<std::uint64_t>(archive_entry_size(entry));
    member.has_holes = archive_entry_sparse_count(entry) > 0;
  }
  return member;
}

void copy_attributes(archive_entry* from, archive_entry* to) {
  archive_entry_set_perm(to, archive_entry_perm(from) & permission_bits);
  archive_entry_set_uid(to, archive_entry_uid(from));
  archive_entry_set_gid(to, archive_entry_gid(from));
  archive_entry_set_mtime(to, archive_entry_mtime(from), archive_entry_mtime_nsec(from));
  archive_entry_xattr_reset(from);
  const char* name = nullptr;
  const void* value = nullptr;
  std::size_t size = 0;
  while (archive_entry_xattr_next(from, &name, &value, &size) == ARCHIVE_OK)
    archive_entry_xattr_add_entry(to, name, value, size);
}

using Entry = std::unique_ptr<archive_entry, decltype(&archive_entry_free)>;

Entry new_entry(const std::string& name) {
  Entry entry(archive_entry_new(), archive_entry_free);
  archive_entry_set_pathname(entry.get(), name.c_str());
  return entry;
}

}  // namespace

void prepare_archives() { utf8(); }

ArchiveReader::ArchiveReader(int descriptor)
    : descriptor_(descriptor), buffer_(block_size, '\0'), handle_(archive_read_new()) {
  const Utf8Names names;
  const auto give_more = [](archive*, void* self, const void** bytes) {
    return static_cast<ArchiveReader*>(self)->give(bytes);
  };
  const auto skip = [](archive*, void* self, la_int64_t bytes) {
    return static_cast<ArchiveReader*>(self)->pass_over(bytes);
  };
  auto* const handle = handle_.get();
  check(archive_read_support_format_tar(handle));
  check(archive_read_open2(handle, this, nullptr, give_more, skip, nullptr));
}

void ArchiveReader::check(int result) {
  if (broken_ != 0) throw std::system_error(broken_, std::generic_category(), "an upload cannot be read");
  proxy::check(handle_.get(), result);
}

/// For libarchive: the next block, and how long it is; less than none for an error.
la_ssize_t ArchiveReader::give(const void** bytes) {
  if (header_bytes_ > max_header_bytes) {
    archive_set_error(handle_.get(), EFBIG, "the header of a member is longer than 2 MiB");
    return ARCHIVE_FATAL;
  }
  ssize_t size;
  do size = ::read(descriptor_, buffer_.data(), buffer_.size());
  while (size < 0 && errno == EINTR);
  if (size < 0) broken_ = errno;
  if (size > 0) header_bytes_ += static_cast<std::uint64_t>(size);
  *bytes = buffer_.data();
  return size < 0 ? ARCHIVE_FATAL : size;
}

la_int64_t ArchiveReader::pass_over(la_int64_t bytes) {
  struct stat file {};
  const auto at = ::lseek(descriptor_, 0, SEEK_CUR);
  if (at < 0 || ::fstat(descriptor_, &file) != 0) return 0;
  const auto passed = std::clamp<la_int64_t>(file.st_size - at, 0, bytes);
  return ::lseek(descriptor_, passed, SEEK_CUR) < 0 ? 0 : passed;
}

bool ArchiveReader::next() {
  const Utf8Names names;
  header_bytes_ = 0;
  const int result = archive_read_next_header(handle_.get(), &entry_);
  if (result == ARCHIVE_EOF) return false;
  check(result);
  member_ = member_of(entry_);
  given_ = 0;
  block_ = {};
  return true;
}

std::string_view ArchiveReader::read() {
  header_bytes_ = 0;
  if (block_.empty()) read_block();
  std::string_view piece = zeros;
  piece = piece.substr(0, block_begin_ - given_);
  if (piece.empty()) piece = std::exchange(block_, {});
  given_ += piece.size();
  if (given_ > member_.size) throw ArchiveError("a member is longer than its header says");
  return piece;
}

/// At the end an empty one, behind whatever hole there is.
void ArchiveReader::read_block() {
  const void* bytes = nullptr;
  std::size_t size = 0;
  la_int64_t begin = 0;
  const int result = archive_read_data_block(handle_.get(), &bytes, &size, &begin);
  if (result != ARCHIVE_EOF) check(result);
  block_ = {static_cast<const char*>(bytes), result == ARCHIVE_EOF ? 0 : size};
  block_begin_ = block_.empty() ? member_.size : static_cast<std::uint64_t>(begin);
  if (block_begin_ < given_) throw ArchiveError("the pieces of a member overlap");
}

void ArchiveReader::skip() {
  header_bytes_ = 0;
  check(archive_read_data_skip(handle_.get()));
}

std::uint64_t ArchiveReader::position() const {
  const auto bytes = archive_filter_bytes(handle_.get(), 0);
  return bytes < 0 ? 0 : static_cast<std::uint64_t>(bytes);
}

ArchiveWriter::ArchiveWriter() : handle_(archive_write_new()) {
  const auto collect = [](archive*, void* self, const void* bytes, std::size_t size) -> la_ssize_t {
    static_cast<ArchiveWriter*>(self)->written_.append(static_cast<const char*>(bytes), size);
    return static_cast<la_ssize_t>(size);
  };
  auto* const handle = handle_.get();
  check(handle, archive_write_set_format_pax_restricted(handle));
  check(handle, archive_write_set_bytes_per_block(handle, 0));
  check(handle, archive_write_open(handle, this, nullptr, collect, nullptr));
}

void ArchiveWriter::begin(archive_entry* entry, const rules::ArchiveMember& member) {
  const Utf8Names names;
  auto name = rules::clean_member_name(member.name).value_or("");
  if (name.empty()) name = ".";
  auto copy = new_entry(name);
  auto* const written = copy.get();
  copy_attributes(entry, written);
  if (member.type == Type::HardLink) {
    archive_entry_set_filetype(written, AE_IFREG);
    archive_entry_set_hardlink(written, rules::clean_member_name(member.link).value_or(member.link).c_str());
  } else {
    archive_entry_set_filetype(written, archive_entry_filetype(entry));
  }
  if (member.type == Type::SymbolicLink) archive_entry_set_symlink(written, member.link.c_str());
  if (member.type == Type::Other) archive_entry_set_rdev(written, archive_entry_rdev(entry));
  archive_entry_set_size(written, static_cast<la_int64_t>(member.size));
  check(handle_.get(), archive_write_header(handle_.get(), written));
}

void ArchiveWriter::add(const std::string& name, std::string_view content) {
  const Utf8Names names;
  const auto entry = new_entry(name);
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), 0644);
  archive_entry_set_mtime(entry.get(), 0, 0);
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
  check(handle_.get(), archive_write_header(handle_.get(), entry.get()));
  write(content);
}

void ArchiveWriter::write(std::string_view content) {
  const auto size = archive_write_data(handle_.get(), content.data(), content.size());
  if (size < 0) check(handle_.get(), static_cast<int>(size));
  if (static_cast<std::size_t>(size) != content.size()) throw ArchiveError("a member is longer than its header says");
}

void ArchiveWriter::finish() { check(handle_.get(), archive_write_close(handle_.get())); }

}  // namespace podfence::proxy
