#pragma once
// The listeners and everything behind them: one unix socket per project, one upstream, one thread.

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "proxy/audit_log.hpp"
#include "proxy/ledger.hpp"
#include "proxy/limits.hpp"
#include "proxy/services.hpp"
#include "rules/control.hpp"
#include "rules/project.hpp"
#include "rules/repair.hpp"

namespace podfence::proxy {

struct ListenerOptions {
  std::shared_ptr<const rules::Project> project;
  std::string socket;  ///< absolute path; its directory is made with mode 0700 if absent
};

class Server {
 public:
  Server(boost::asio::io_context& context, Upstream::Connect upstream, std::vector<ListenerOptions> listeners,
         Limits limits, SqliteLedger& ledger, AuditLog& audit, const std::string& spool_directory,
         std::string label_key = rules::Project{}.label_key,
         std::chrono::seconds repair_grace = std::chrono::seconds(rules::repair_grace_seconds));
  /// Runs the context until nothing of this server is left in it.
  ~Server();

  /// Accepts until stop(). The sockets exist and listen when this returns. Throws std::system_error naming the path
  /// when one cannot be made.
  void start();
  /// One more project, or another policy for requests of a known one that begin from now on: its socket stays. Throws
  /// like start().
  void put(ListenerOptions options);
  /// Its clients are cut off, and its socket is gone. False: there was none.
  bool remove(const std::string& project);
  /// Where a control plane comes in. Throws std::exception with a sentence.
  void listen(rules::ControlListener options);
  /// Certificates are read again: what is wrong, a line for each listener whose former ones still count.
  std::vector<std::string> reload_certificates();

  /// nullptr: there is none.
  std::shared_ptr<const rules::Project> project(const std::string& id) const;
  std::vector<std::shared_ptr<const rules::Project>> projects() const;

  /// No new connections; idle ones close, running exchanges end or are cut after drain_time. The context runs out of
  /// work when the last one is gone. Socket files are removed, unless a service manager keeps them.
  void stop();
  /// Listeners and connections of clients that run now.
  std::size_t tasks() const;
  /// Of one project.
  std::size_t connections(const std::string& project) const;
  Services& services();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace podfence::proxy
