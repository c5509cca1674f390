#pragma once
// Sessions of the proxy on the test's own thread, with an upstream beside them: after every piece that a test sends,
// all that can come of it has come of it. So a cut between two pieces is a cut for whoever reads them, always, and tens
// of thousands of them take seconds. Without the listeners and the threads of RunningProxy.

#include <functional>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/services.hpp"
#include "proxy/session.hpp"
#include "proxy/task_group.hpp"
#include "tests/support/fake_objects.hpp"
#include "tests/support/socket.hpp"
#include "tests/support/temporary_directory.hpp"

namespace podfence::testing {

class SteppedProxy {
 public:
  explicit SteppedProxy(proxy::Limits limits);
  SteppedProxy();  ///< short_limits()
  ~SteppedProxy();

  class Client {
   public:
    /// What the proxy does not take is dropped: it has refused, and said so.
    void send(std::string_view bytes);
    void half_close();
    /// All that has been said since the last call.
    std::string read();
    /// Behind what read() gave nothing follows.
    bool ended() const { return ended_; }

   private:
    friend class SteppedProxy;
    Client(SteppedProxy& proxy, Socket socket) : proxy_(proxy), socket_(std::move(socket)) {}

    SteppedProxy& proxy_;
    Socket socket_;
    bool ended_ = false;
  };
  /// A client of the project p1.
  Client client();

  /// What upstream says, piece by piece.
  struct Answer {
    std::vector<std::string> pieces;
    bool closes = false;  ///< behind the last one
  };
  /// nullopt: as the objects say.
  using Script = std::function<std::optional<Answer>(const std::string& request)>;
  void on_request(Script script) { script_ = std::move(script); }

  FakeObjects objects;
  /// The exact bytes of every request that upstream has read whole.
  std::vector<std::string> requests;
  /// Of all bytes that upstream has read, whole requests or not.
  std::size_t upstream_bytes = 0;

 private:
  struct UpstreamConnection {
    Socket socket;
    std::string received;
    std::list<std::string> to_say;
    bool closes = false;
  };

  /// Until nothing moves any more.
  void settle();
  bool step_upstream();
  bool step(UpstreamConnection& connection);
  Answer answer(const std::string& request);

  TemporaryDirectory directory_;
  Socket listener_;
  std::list<UpstreamConnection> connections_;
  Script script_;
  boost::asio::io_context context_;
  proxy::ProjectDoor door_;
  proxy::SqliteLedger ledger_;
  proxy::AuditLog audit_;
  proxy::Services services_;
  proxy::TaskGroup sessions_;
};

}  // namespace podfence::testing
