#include "proxy/spooled_archive.hpp"

#include <array>
#include <boost/asio/post.hpp>
#include <system_error>
#include <utility>

#include "proxy/sha256.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace asio = boost::asio;

namespace {

using rules::Deny;
using rules::refusal;
using Refused = std::optional<Deny>;

/// Between two of these other connections are served; it is also how much goes upstream at once.
constexpr std::size_t slice = 256 * 1024;

Deny refused(const rules::Refusal* rule, std::string subject) { return {rule, std::move(subject), rules::Kind::None}; }

Deny too_large(std::uint64_t limit) { return refused(refusal("archive.too-large"), std::to_string(limit)); }

/// What the client can do nothing about: the disk, or a descriptor.
Deny lost(const std::system_error& error) { return refused(refusal("server.busy"), error.code().message()); }

/// The bytes of a file, from its beginning.
Unpacker::Source source_of(const Spool& spool) {
  return [&spool, at = std::uint64_t(0), buffer = std::string(slice, '\0')]() mutable {
    const auto piece = spool.read(at, buffer);
    at += piece.size();
    return piece;
  };
}

}  // namespace

Refused SpooledArchive::keep(Spool& spool, std::string_view piece) {
  if (!disk_.take(piece.size())) return refused(refusal("server.busy"), "too much is being uploaded");
  if (spool.size() + piece.size() > services_.limits.archive_bytes) return too_large(services_.limits.archive_bytes);
  try {
    spool.append(piece);
  } catch (const std::system_error& error) {
    return lost(error);
  }
  return std::nullopt;
}

Task<Refused> SpooledArchive::receive(RequestContent& content) {
  while (true) {
    const auto piece = co_await content.next();
    if (piece.empty()) break;
    if (auto deny = keep(spool_, piece)) co_return deny;
  }
  if (!content.complete()) co_return content.failure();
  try {
    co_return co_await unpack();
  } catch (const ArchiveError& error) {
    co_return refused(refusal("archive.format"), error.what());
  } catch (const std::system_error& error) {
    co_return lost(error);
  }
}

/// Once, so that it can be read more than once at the price of a seek.
Task<Refused> SpooledArchive::unpack() {
  std::array<char, compression_mark_bytes> beginning{};
  const auto compression = compression_of(spool_.read(0, beginning));
  if (compression == Compression::None) co_return std::nullopt;
  BufferBudget::Share memory(services_.unpacking, project_);
  if (!memory.take(memory_to_unpack(compression)))
    co_return refused(refusal("server.busy"), "too many archives are being unpacked");
  Spool unpacked(services_.spool_directory);
  Unpacker unpacker(compression, [this, source = source_of(spool_)] {
    const auto packed = source();
    worked_ += packed.size();
    return packed;
  });
  while (true) {
    const auto piece = unpacker.read();
    if (piece.empty()) break;
    if (auto deny = keep(unpacked, piece)) co_return deny;
    co_await pause_behind(piece.size());
  }
  spool_ = std::move(unpacked);
  disk_.shrink_to(spool_.size());
  co_return std::nullopt;
}

Task<void> SpooledArchive::pause_behind(std::uint64_t bytes) {
  worked_ += bytes;
  if (worked_ < slice) co_return;
  worked_ = 0;
  co_await asio::post(executor_, as_task);
}

Task<std::variant<rules::Archive, Deny>> SpooledArchive::judge(rules::ArchiveRules archive_rules,
                                                               rules::Archive known) {
  rules::ArchiveJudge members(std::move(archive_rules), std::move(known));
  digested_ = 0;
  try {
    ArchiveReader reader(spool_.rewound());
    co_return co_await judge(reader, members);
  } catch (const ArchiveError& error) {
    co_return refused(refusal("archive.format"), error.what());
  } catch (const std::system_error& error) {
    co_return lost(error);
  }
}

Task<std::variant<rules::Archive, Deny>> SpooledArchive::judge(ArchiveReader& reader, rules::ArchiveJudge& members) {
  std::uint64_t position = 0, content = 0;
  while (reader.next()) {
    content += reader.member().size;  // holes are not in the file
    if (content > services_.limits.archive_bytes) co_return too_large(services_.limits.archive_bytes);
    if (auto deny = members.judge(reader.member())) co_return *deny;
    if (auto deny = co_await take_member(reader, members)) co_return *deny;
    co_await pause_behind(reader.position() - position);
    position = reader.position();
  }
  co_return std::move(members).finish();
}

Task<Refused> SpooledArchive::take_member(ArchiveReader& reader, rules::ArchiveJudge& members) {
  using enum rules::ArchiveJudge::Reading;
  const auto reading = members.reading(reader.member());
  if (reading == Digest || reading == UnpackedDigest)
    co_return co_await take_digest(reader, members, reading == UnpackedDigest);
  if (reading == Nothing) {
    reader.skip();
    co_return std::nullopt;
  }
  std::string text;
  for (auto piece = reader.read(); !piece.empty(); piece = reader.read()) text.append(piece);
  members.take(reader.member(), std::move(text));
  co_return std::nullopt;
}

Task<Refused> SpooledArchive::take_digest(ArchiveReader& reader, rules::ArchiveJudge& members, bool unpacked) {
  auto first = reader.read();
  const auto compression = unpacked ? compression_of(first) : Compression::None;
  BufferBudget::Share memory(services_.unpacking, project_);
  if (!memory.take(memory_to_unpack(compression)))
    co_return refused(refusal("server.busy"), "too many archives are being unpacked");
  Unpacker content(compression, [&] {
    const auto packed = first.empty() ? reader.read() : std::exchange(first, std::string_view());
    worked_ += packed.size();
    return packed;
  });
  Sha256 digest;
  while (true) {
    const auto piece = content.read();
    if (piece.empty()) break;
    digest.add(piece);
    digested_ += piece.size();
    if (digested_ > services_.limits.archive_bytes) co_return too_large(services_.limits.archive_bytes);
    co_await pause_behind(piece.size());
  }
  co_return members.take_digest(reader.member(), digest.digits());
}

/// Written from the file, as it was judged from the file; an error now is one of the disk.
Task<ContentPiece> SpooledArchive::next_piece() {
  co_await asio::post(executor_, as_task);
  piece_.clear();
  try {
    if (!reader_) begin_writing();
    auto position = reader_->position();
    while (!complete_ && writer_.written().size() < slice) {
      write_more();
      // Of members that are left out nothing is written.
      co_await pause_behind(reader_->position() - position);
      position = reader_->position();
    }
  } catch (const std::exception& error) {  // of any kind: the client is told what it was
    broken_ = error.what();
    co_return ContentPiece();
  }
  piece_.swap(writer_.written());
  co_return std::string_view(piece_);
}

void SpooledArchive::begin_writing() {
  for (const auto& [name, text] : written_)
    if (text) writer_.add(name, *text);
  reader_ = std::make_unique<ArchiveReader>(spool_.rewound());
}

void SpooledArchive::write_more() {
  if (!in_member_) return write_next_member();
  const auto content = reader_->read();
  in_member_ = !content.empty();
  writer_.write(content);
}

void SpooledArchive::write_next_member() {
  if (!reader_->next()) {
    writer_.finish();
    complete_ = true;
    return;
  }
  const auto& member = reader_->member();
  const auto name = rules::clean_member_name(member.name);
  if (!name || written_.contains(*name)) return;
  writer_.begin(reader_->entry(), member);
  in_member_ = member.type == rules::ArchiveMember::Type::File;
}

Deny SpooledArchive::failure() const { return refused(refusal("server.busy"), "an upload was lost: " + broken_); }

}  // namespace podfence::proxy
