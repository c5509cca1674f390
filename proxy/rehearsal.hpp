#pragma once
// A client's connection, played without being served: every request that its bytes hold goes through hops 1 to 4 by the
// code of a session, and somebody is told what was decided. Nothing is sent or changed. What `podfence explain` and
// `podfence replay` have in common.

#include <boost/asio/io_context.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "proxy/services.hpp"
#include "rules/stated_ledger.hpp"
#include "rules/trace.hpp"

namespace podfence::proxy {

/// Where the facts are from: what is stated, or Podman and a ledger that may be in use.
struct FactSources {
  const rules::StatedObjects* stated = nullptr;  ///< nullptr: upstream is asked
  std::string upstream;                          ///< Podman's socket
  std::string ledger;                            ///< file
};

class Rehearsal {
 public:
  /// Both live longer. Throws std::runtime_error with a sentence for people.
  Rehearsal(const rules::Project& project, const FactSources& sources);

  /// What people should know about the facts, "" for nothing.
  const std::string& note() const { return note_; }

  /// `head` is nullptr when it was refused. All of it lives until the call is over.
  using Told = std::function<void(const rules::Judged&, const RequestHead* head, rules::Decision)>;

  /// How it ended.
  enum class End {
    Complete,    ///< every byte was read; line ends behind the last request are an editor's
    InsideHead,  ///< of what would be the next request, or the first
    Closed,      ///< by the proxy; what follows was not read
  };
  End play(std::string_view bytes, const Told& told);

  /// What earlier requests have taught, as in a process that has just started.
  void forget();

 private:
  boost::asio::io_context context_{1};
  std::string note_;
  SqliteLedger ledger_;
  rules::StatedLedger stated_ledger_;
  AuditLog audit_;
  const rules::Project& project_;
  Services services_;
};

}  // namespace podfence::proxy
