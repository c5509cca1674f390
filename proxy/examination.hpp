#pragma once
// Hops 2 to 4 of one request, from its head to the decision: which endpoint it is, its content, and what the rules say.
// A session carries the decision out; `podfence explain` tells it.

#include <memory>
#include <optional>

#include "proxy/inquiry.hpp"
#include "proxy/request_content.hpp"
#include "proxy/spooled_archive.hpp"

namespace podfence::proxy {

class Examination {
 public:
  Examination(Services& services, const rules::Project& project, const RequestHead& head, RequestContent& content)
      : services_(services),
        project_(project),
        head_(head),
        content_(content),
        buffered_(services.buffers, project.id) {}

  /// The content has been read already.
  void supply(std::string content) { supplied_ = std::move(content); }

  // In this order; behind a refusal nothing follows.
  std::optional<rules::Deny> route();
  Task<std::optional<rules::Deny>> read_content();
  /// Never Ask.
  Task<rules::Decision> decide();

  /// Is the target understood? Also where route() has refused it.
  bool is_read() const { return is_read_; }
  /// Also of a request that route() has refused, but knows the endpoint of.
  bool is_routed() const { return match_.endpoint != nullptr; }
  const rules::Match& match() const { return match_; }
  const rules::Endpoint& endpoint() const { return *match_.endpoint; }
  const rules::Request& request() const { return request_; }
  /// Behind decide().
  Inquiry& inquiry() { return *inquiry_; }
  bool is_decided() const { return inquiry_.has_value(); }
  /// Of rows that judge one; nullptr elsewhere.
  SpooledArchive* archive() { return archive_.get(); }

  /// Bytes may follow that must not be read as the next request.
  bool ends_connection() const { return ends_connection_; }

 private:
  std::optional<rules::Deny> check_upgrade();
  std::optional<rules::Deny> refused_without_archive();
  Task<std::optional<rules::Deny>> read_archive(rules::ArchiveRules archive_rules);
  Task<std::optional<rules::Deny>> read_json();
  Task<std::optional<rules::Deny>> read_secret();
  std::optional<rules::Deny> judge_content(std::string_view content);

  Services& services_;
  const rules::Project& project_;
  const RequestHead& head_;
  RequestContent& content_;
  rules::Request request_;
  rules::Match match_;
  std::optional<std::string> supplied_;
  BufferBudget::Share buffered_;  ///< for the content, as long as it is judged and sent
  std::optional<Inquiry> inquiry_;
  std::unique_ptr<SpooledArchive> archive_;
  bool is_read_ = false;
  bool ends_connection_ = false;
};

}  // namespace podfence::proxy
