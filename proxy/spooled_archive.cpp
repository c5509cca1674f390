#include "proxy/spooled_archive.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <system_error>

#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace asio = boost::asio;

namespace {

using rules::Deny;
using rules::refusal;

/// Between two of these other connections are served; it is also how much goes upstream at once.
constexpr std::size_t slice = 256 * 1024;

Deny refused(const rules::Refusal* rule, std::string subject) { return {rule, std::move(subject), rules::Kind::None}; }

}  // namespace

Task<std::optional<Deny>> SpooledArchive::receive(RequestContent& content) {
  while (true) {
    const auto piece = co_await content.next();
    if (piece.empty()) break;
    if (!share_.take(piece.size())) co_return refused(refusal("server.busy"), "too much is being uploaded");
    if (spool_.size() + piece.size() > unpacked_limit_)
      co_return refused(refusal("content.too-large"), std::to_string(unpacked_limit_));
    try {
      spool_.append(piece);
    } catch (const std::system_error& error) {
      co_return refused(refusal("server.busy"), error.what());
    }
  }
  if (!content.complete()) co_return content.failure();
  co_return std::nullopt;
}

Task<std::variant<rules::Archive, Deny>> SpooledArchive::judge(rules::ArchiveRules archive_rules) {
  rules::ArchiveJudge members(std::move(archive_rules));
  std::string wrong;
  try {
    ArchiveReader reader(spool_.rewound());
    co_return co_await judge(reader, members);
  } catch (const ArchiveError& error) {
    wrong = error.what();
  }
  co_return refused(refusal("archive.format"), wrong);
}

Task<std::variant<rules::Archive, Deny>> SpooledArchive::judge(ArchiveReader& reader, rules::ArchiveJudge& members) {
  while (reader.next()) {
    content_bytes_ += reader.member().size;
    if (auto deny = members.judge(reader.member())) co_return *deny;
    if (auto deny = too_large(reader)) co_return *deny;
    if (auto deny = co_await take_member(reader, members)) co_return *deny;
  }
  co_return std::move(members).finish();
}

Task<std::optional<Deny>> SpooledArchive::take_member(ArchiveReader& reader, rules::ArchiveJudge& members) {
  const bool wanted = members.wants(reader.member());
  std::string text;
  auto before = reader.unpacked();
  bool more = true;
  while (more) {
    if (wanted) {
      const auto piece = reader.read();
      text.append(piece);
      more = !piece.empty();
    } else {
      more = reader.skip();
    }
    if (auto deny = too_large(reader)) co_return deny;
    if (reader.unpacked() - before < slice) continue;
    before = reader.unpacked();
    co_await asio::post(executor_, asio::use_awaitable);
  }
  if (wanted) members.take(reader.member(), std::move(text));
  co_return std::nullopt;
}

std::optional<Deny> SpooledArchive::too_large(const ArchiveReader& reader) const {
  if (content_bytes_ <= unpacked_limit_ && reader.unpacked() <= unpacked_limit_) return std::nullopt;
  return refused(refusal("archive.too-large"), std::to_string(unpacked_limit_));
}

/// Written from the file, as it was judged from the file; an error now is one of the disk.
Task<std::string_view> SpooledArchive::next() {
  co_await asio::post(executor_, asio::use_awaitable);
  piece_.clear();
  try {
    if (!reader_) begin_writing();
    while (!complete_ && writer_.written().size() < slice) write_more();
  } catch (const std::runtime_error& error) {
    broken_ = error.what();
    co_return std::string_view();
  }
  piece_.swap(writer_.written());
  co_return piece_;
}

void SpooledArchive::begin_writing() {
  for (const auto& [name, text] : written_) writer_.add(name, text);
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
