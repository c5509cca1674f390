#include "proxy/followers.hpp"

#include <unistd.h>

#include "proxy/failure.hpp"
#include "proxy/load.hpp"
#include "proxy/log.hpp"
#include "rules/error_answer.hpp"

namespace podfence::proxy {

namespace {

/// `why`: what it is read again for.
void read_again(const std::string& why, Server& server, Tenancy& tenancy) {
  try {
    const auto refused = tenancy.reload();
    for (const auto& wrong : server.reload_certificates()) log(why + ": the former certificates count: " + wrong);
    log(why + ": " +
        (refused ? "the configuration stays as it was: " + rules::reason_of(*refused)
                 : "the configuration was read again, generation " + std::to_string(tenancy.generation())));
  } catch (const std::exception& failure) {
    log(why + ": the configuration stays as it was: " + said_by(failure));
  }
}

/// The file, and the directory of the policies that it names by their names.
std::vector<std::string> watched_paths(const std::string& file, const rules::Configuration& configuration) {
  std::vector<std::string> paths = {file};
  const auto& policies = configuration.policies.empty() ? policy_files().directory : configuration.policies;
  if (::access(policies.c_str(), R_OK) == 0) paths.push_back(policies);
  return paths;
}

}  // namespace

Followers::Followers(boost::asio::io_context& context)
    : context_(context), hangups_(context, SIGHUP), rotations_(context, SIGUSR1) {}

void Followers::begin(const std::string& file, Server& server, Tenancy& tenancy, AuditLog& audit) {
  follow_hangups(server, tenancy);
  follow_rotations(audit);
  if (tenancy.configuration().watch)
    watch_.emplace(context_.get_executor(), watched_paths(file, tenancy.configuration()),
                   [&] { read_again("a file has changed", server, tenancy); });
}

void Followers::stop() {
  hangups_.cancel();
  rotations_.cancel();
  if (watch_) watch_->stop();
}

void Followers::follow_hangups(Server& server, Tenancy& tenancy) {
  hangups_.async_wait([&, this](const boost::system::error_code& error, int) {
    if (error) return;
    read_again("SIGHUP", server, tenancy);
    follow_hangups(server, tenancy);
  });
}

/// For whoever has given the file another name.
void Followers::follow_rotations(AuditLog& audit) {
  rotations_.async_wait([&, this](const boost::system::error_code& error, int) {
    if (error) return;
    try {
      audit.reopen();
      log("SIGUSR1: the audit log was opened again");
    } catch (const std::exception& failure) {
      log("SIGUSR1: the audit log goes on where it was: " + said_by(failure));
    }
    follow_rotations(audit);
  });
}

}  // namespace podfence::proxy
