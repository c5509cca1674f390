#include "proxy/unpacker.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <lzma.h>

#include <array>
#include <exception>
#include <string>
#include <utility>

namespace podfence::proxy {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t unpacked_piece = 64 * 1024;
constexpr std::size_t mebibyte = 1024 * 1024;

/// `xz -9` has a dictionary of 64 MiB.
constexpr std::size_t xz_memory = 80 * mebibyte;
/// libzstd refuses windows of more than 128 MiB unless it is told otherwise.
constexpr std::size_t zstd_memory = 136 * mebibyte;
/// Packed bytes in a row that may unpack to nothing, such as what zstd skips. While it reads them nobody else is
/// served.
constexpr std::size_t max_fruitless = 16 * mebibyte;
constexpr std::size_t small_memory = 8 * mebibyte;

/// A tar archive begins with the name of its first member, so that three letters prove nothing.
bool is_bzip2(std::string_view beginning) {
  constexpr auto block = "\x31\x41\x59\x26\x53\x59"sv, end = "\x17\x72\x45\x38\x50\x90"sv;
  const auto behind = beginning.substr(std::min<std::size_t>(beginning.size(), 4));
  return beginning.starts_with("BZh") && (behind.starts_with(block) || behind.starts_with(end));
}

int filter_of(Compression compression) {
  switch (compression) {
    case Compression::Gzip:
      return ARCHIVE_FILTER_GZIP;
    case Compression::Bzip2:
      return ARCHIVE_FILTER_BZIP2;
    case Compression::Zstandard:
      return ARCHIVE_FILTER_ZSTD;
    case Compression::None:
    case Compression::Xz:
      break;
  }
  return ARCHIVE_FILTER_NONE;
}

}  // namespace

class Unpacker::Method {
 public:
  explicit Method(Source source) : source_(std::move(source)) {}
  virtual ~Method() = default;

  std::string_view next() {
    fruitless_ = 0;
    return read();
  }

 protected:
  virtual std::string_view read() { return more(); }

  std::string_view more() {
    const auto piece = source_();
    fruitless_ += piece.size();
    if (fruitless_ > max_fruitless) throw ArchiveError("there are 16 MiB of it in a row that unpack to nothing");
    return piece;
  }

 private:
  Source source_;
  std::size_t fruitless_ = 0;  ///< packed bytes since anything came of them
};

namespace {

class XzMethod final : public Unpacker::Method {
 public:
  explicit XzMethod(Unpacker::Source source) : Method(std::move(source)) {
    if (lzma_stream_decoder(&stream_, xz_memory, LZMA_CONCATENATED) != LZMA_OK)
      throw ArchiveError("xz cannot be unpacked here");
  }
  ~XzMethod() override { lzma_end(&stream_); }

  std::string_view read() override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(unpacked_.data());
    stream_.avail_out = unpacked_.size();
    while (!ended_ && stream_.avail_out > 0) step();
    return {unpacked_.data(), unpacked_.size() - stream_.avail_out};
  }

 private:
  void step() {
    if (stream_.avail_in == 0) {
      const auto piece = more();
      stream_.next_in = reinterpret_cast<const std::uint8_t*>(piece.data());
      stream_.avail_in = piece.size();
    }
    const auto result = lzma_code(&stream_, stream_.avail_in == 0 ? LZMA_FINISH : LZMA_RUN);
    ended_ = result == LZMA_STREAM_END;
    if (result == LZMA_MEMLIMIT_ERROR) throw ArchiveError("xz with a dictionary of more than 64 MiB");
    if (result != LZMA_OK && !ended_) throw ArchiveError("the xz data is damaged or cut off");
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
  std::string unpacked_ = std::string(unpacked_piece, '\0');
  bool ended_ = false;
};

class LibraryMethod final : public Unpacker::Method {
 public:
  LibraryMethod(int filter, Unpacker::Source source) : Method(std::move(source)), handle_(archive_read_new()) {
    const auto give = [](archive*, void* self, const void** bytes) {
      return static_cast<LibraryMethod*>(self)->give(bytes);
    };
    // Named, so that the library looks for no other filter below it.
    check(archive_read_append_filter(handle_.get(), filter));
    check(archive_read_set_format(handle_.get(), ARCHIVE_FORMAT_RAW));
    check(archive_read_open(handle_.get(), this, nullptr, give, nullptr));
    archive_entry* entry = nullptr;
    const int result = archive_read_next_header(handle_.get(), &entry);
    ended_ = result == ARCHIVE_EOF;
    check(ended_ ? ARCHIVE_OK : result);
  }

  std::string_view read() override {
    if (ended_) return {};
    const auto size = archive_read_data(handle_.get(), unpacked_.data(), unpacked_.size());
    check(size < 0 ? static_cast<int>(size) : ARCHIVE_OK);
    ended_ = size <= 0;
    return {unpacked_.data(), static_cast<std::size_t>(size)};
  }

 private:
  struct Free {
    void operator()(archive* handle) const { archive_read_free(handle); }
  };

  /// For the library, which is C: nothing is thrown through it.
  la_ssize_t give(const void** bytes) noexcept {
    try {
      const auto piece = more();
      *bytes = piece.data();
      return static_cast<la_ssize_t>(piece.size());
    } catch (...) {
      thrown_ = std::current_exception();
      return ARCHIVE_FATAL;
    }
  }

  void check(int result) {
    if (thrown_) std::rethrow_exception(thrown_);  // which some of its filters take for the end
    if (result == ARCHIVE_OK) return;
    const char* what = archive_error_string(handle_.get());
    throw ArchiveError(what ? what : "unknown error");
  }

  std::unique_ptr<archive, Free> handle_;
  std::exception_ptr thrown_;
  std::string unpacked_ = std::string(unpacked_piece, '\0');
  bool ended_ = false;
};

std::unique_ptr<Unpacker::Method> method_of(Compression compression, Unpacker::Source source) {
  switch (compression) {
    case Compression::None:
      return std::make_unique<Unpacker::Method>(std::move(source));
    case Compression::Xz:
      return std::make_unique<XzMethod>(std::move(source));
    case Compression::Gzip:
    case Compression::Bzip2:
    case Compression::Zstandard:
      break;
  }
  return std::make_unique<LibraryMethod>(filter_of(compression), std::move(source));
}

}  // namespace

Compression compression_of(std::string_view beginning) {
  if (beginning.starts_with("\x1f\x8b\x08"sv)) return Compression::Gzip;
  if (beginning.starts_with("\xfd\x37\x7a\x58\x5a\x00"sv)) return Compression::Xz;
  if (beginning.starts_with("\x28\xb5\x2f\xfd"sv)) return Compression::Zstandard;
  return is_bzip2(beginning) ? Compression::Bzip2 : Compression::None;
}

std::size_t memory_to_unpack(Compression compression) {
  switch (compression) {
    case Compression::None:
      return 0;
    case Compression::Gzip:
    case Compression::Bzip2:
      return small_memory;
    case Compression::Xz:
      return xz_memory;
    case Compression::Zstandard:
      return zstd_memory;
  }
  return zstd_memory;
}

Unpacker::Unpacker(Compression compression, Source source) : method_(method_of(compression, std::move(source))) {}
Unpacker::~Unpacker() = default;
std::string_view Unpacker::read() { return method_->next(); }

}  // namespace podfence::proxy
