#pragma once
// The listeners and everything behind them: one unix socket per project, one upstream, one thread.

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "proxy/audit_log.hpp"
#include "proxy/ledger.hpp"
#include "rules/project.hpp"

namespace podfence::proxy {

struct Limits {
  std::size_t head_bytes = 16 * 1024;
  std::size_t json_bytes = 1024 * 1024;       ///< content that is judged
  std::size_t answer_bytes = 64 * 1024 * 1024;///< a whole answer that is rewritten
  std::size_t line_bytes = 1024 * 1024;       ///< one line of an answer that is judged line by line
  std::size_t connections = 1024;             ///< per listener
  std::chrono::milliseconds head_time{30'000};
  std::chrono::milliseconds idle_time{240'000};  ///< between requests
  std::chrono::milliseconds content_idle_time{300'000};
  std::chrono::milliseconds close_time{30'000};  ///< of a tunnel, after one side ended
  std::chrono::milliseconds drain_time{10'000};  ///< of streams, after stop()
};

struct ListenerOptions {
  rules::Project project;
  std::string socket;     ///< absolute path; its directory is made with mode 0700 if absent
};

class Server {
 public:
  /// Throws std::system_error naming the path when a socket cannot be made.
  Server(boost::asio::io_context& context, std::string upstream, std::vector<ListenerOptions> listeners, Limits limits,
         SqliteLedger& ledger, AuditLog& audit);
  ~Server();

  /// Accepts until stop(). The sockets exist and listen when this returns.
  void start();
  /// No new connections; idle ones close, running exchanges end or are cut after drain_time. The context runs out of work
  /// when the last one is gone. Socket files are removed.
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace podfence::proxy
