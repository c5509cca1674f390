#pragma once
// A client's archive: kept until it has been judged, then written anew for upstream. Long work is done in slices, so
// that others are served meanwhile.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "proxy/archive.hpp"
#include "proxy/content_source.hpp"
#include "proxy/request_content.hpp"
#include "proxy/services.hpp"
#include "proxy/spool.hpp"
#include "proxy/unpacker.hpp"

namespace podfence::proxy {

class SpooledArchive final : public ContentSource {
 public:
  SpooledArchive(Services& services, Executor executor, const std::string& project)
      : services_(services),
        executor_(std::move(executor)),
        project_(project),
        spool_(services.spool_directory),
        disk_(services.spool, project) {}

  /// All of the client's content, without its compression; why not otherwise.
  Task<std::optional<rules::Deny>> receive(RequestContent& content);
  /// One reading from end to end: `known` is what the readings before it have found.
  Task<std::variant<rules::Archive, rules::Deny>> judge(rules::ArchiveRules archive_rules, rules::Archive known);

  /// Members to be written in the place of what the client sent under these names, or beside it; without a text they
  /// are left out. Before the first next_piece().
  void set_written(rules::WrittenMembers written) { written_ = std::move(written); }

  Task<ContentPiece> next_piece() override;
  bool complete() const override { return complete_; }
  rules::Deny failure() const override;

 private:
  using Refused = std::optional<rules::Deny>;

  Refused keep(Spool& spool, std::string_view piece);
  Task<Refused> unpack();
  Task<std::variant<rules::Archive, rules::Deny>> judge(ArchiveReader& reader, rules::ArchiveJudge& members);
  Task<Refused> take_member(ArchiveReader& reader, rules::ArchiveJudge& members);
  Task<Refused> take_digest(ArchiveReader& reader, rules::ArchiveJudge& members, bool unpacked);
  Task<void> pause_behind(std::uint64_t bytes);
  void write_more();
  void begin_writing();
  void write_next_member();

  Services& services_;
  Executor executor_;
  const std::string& project_;
  Spool spool_;
  BufferBudget::Share disk_;
  std::uint64_t worked_ = 0;    ///< bytes since others were served
  std::uint64_t digested_ = 0;  ///< bytes of this reading that a digest was made of

  rules::WrittenMembers written_;
  std::unique_ptr<ArchiveReader> reader_;
  ArchiveWriter writer_;
  bool in_member_ = false;
  bool complete_ = false;
  std::string piece_;
  std::string broken_;
};

}  // namespace podfence::proxy
