#pragma once
// What a running podfence is told from outside besides requests: SIGHUP and a changed file let it read its
// configuration again, SIGUSR1 opens the audit log again. As often as they come, until stop().

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <optional>
#include <string>

#include "proxy/audit_log.hpp"
#include "proxy/file_watch.hpp"
#include "proxy/server.hpp"
#include "proxy/tenancy.hpp"

namespace podfence::proxy {

class Followers {
 public:
  /// From now on no signal ends the process that begin() will follow.
  explicit Followers(boost::asio::io_context& context);

  /// `file`: of the configuration, "" for none.
  void begin(const std::string& file, Server& server, Tenancy& tenancy, AuditLog& audit);
  void stop();

 private:
  void follow_hangups(Server& server, Tenancy& tenancy);
  void follow_rotations(AuditLog& audit);

  boost::asio::io_context& context_;
  boost::asio::signal_set hangups_;
  boost::asio::signal_set rotations_;
  std::optional<FileWatch> watch_;
};

}  // namespace podfence::proxy
