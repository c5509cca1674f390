#pragma once
// A whole proxy in the test process, with two projects whose names are prefixes of each other, in front of a fake
// Podman. Its sockets, audit log and everything else live in a temporary directory that goes with it.

#include <string>
#include <thread>

#include "proxy/server.hpp"
#include "tests/support/fake_podman.hpp"
#include "tests/support/raw_client.hpp"
#include "tests/support/temporary_directory.hpp"

namespace podfence::testing {

/// Small enough that reaching one costs a test nothing.
proxy::Limits short_limits();

class RunningProxy {
 public:
  explicit RunningProxy(proxy::Limits limits = short_limits());
  /// p1 has this policy, and the images of the tests are shared.
  explicit RunningProxy(rules::Policy policy);
  /// `bodies`: the audit log has what was judged of requests.
  RunningProxy(proxy::Limits limits, rules::Policy policy, bool bodies = false);
  ~RunningProxy();

  RawClient client(const std::string& project = "p1") const { return RawClient(socket(project)); }
  std::string socket(const std::string& project = "p1") const;
  std::string upstream() const { return directory_.path() + "/upstream.sock"; }
  /// Where all of its files are.
  std::string directory() const { return directory_.path(); }
  /// One exchange on a connection of its own.
  WireAnswer ask(std::string_view request, const std::string& project = "p1") const;
  /// True when a new client is served as ever.
  bool alive() const;
  /// Connections of clients that the proxy has open.
  std::size_t clients();
  /// Waits until it has none.
  bool idle();
  /// What the audit log holds so far.
  std::string audit() const;
  /// Waits until the audit log has that many lines; gives what it has then.
  std::string audit(std::size_t lines) const;
  /// Stops the server and waits for it; false when it had to be cut off.
  bool stop();

 private:
  TemporaryDirectory directory_;

 public:
  FakePodman podman;

 private:
  proxy::SqliteLedger ledger_;
  proxy::AuditLog audit_;
  boost::asio::io_context context_;
  proxy::Server server_;
  std::thread thread_;
  std::string failure_;  ///< what the server's thread threw
};

}  // namespace podfence::testing
