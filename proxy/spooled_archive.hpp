#pragma once
// A client's archive: kept until it has been judged, then written anew for upstream. Long work is done in slices, so
// that others are served meanwhile.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "proxy/archive.hpp"
#include "proxy/buffer_budget.hpp"
#include "proxy/content_source.hpp"
#include "proxy/request_content.hpp"
#include "proxy/spool.hpp"

namespace podfence::proxy {

class SpooledArchive final : public ContentSource {
 public:
  /// `unpacked_limit`: bytes of the archive without its compression, and of the content of its members.
  SpooledArchive(boost::asio::any_io_executor executor, const std::string& directory, BufferBudget& disk,
                 const std::string& project, std::uint64_t unpacked_limit)
      : executor_(std::move(executor)), spool_(directory), share_(disk, project), unpacked_limit_(unpacked_limit) {}

  /// All of the client's content; why not otherwise.
  Task<std::optional<rules::Deny>> receive(RequestContent& content);
  Task<std::variant<rules::Archive, rules::Deny>> judge(rules::ArchiveRules archive_rules);

  /// Members to be written in the place of what the client sent under these names, or beside it; before the first
  /// next().
  void set_written(std::map<std::string, std::string> written) { written_ = std::move(written); }

  Task<std::string_view> next() override;
  bool complete() const override { return complete_; }
  rules::Deny failure() const override;

 private:
  Task<std::variant<rules::Archive, rules::Deny>> judge(ArchiveReader& reader, rules::ArchiveJudge& judge);
  Task<std::optional<rules::Deny>> take_member(ArchiveReader& reader, rules::ArchiveJudge& judge);
  std::optional<rules::Deny> too_large(const ArchiveReader& reader) const;
  void write_more();
  void begin_writing();
  void write_next_member();

  boost::asio::any_io_executor executor_;
  Spool spool_;
  BufferBudget::Share share_;
  std::uint64_t unpacked_limit_;
  std::uint64_t content_bytes_ = 0;

  std::map<std::string, std::string> written_;
  std::unique_ptr<ArchiveReader> reader_;
  ArchiveWriter writer_;
  bool in_member_ = false;
  bool complete_ = false;
  std::string piece_;
  std::string broken_;
};

}  // namespace podfence::proxy
