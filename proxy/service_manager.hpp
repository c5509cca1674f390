#pragma once
// What a service manager such as systemd is told: sd_notify(3), spoken by ourselves. It is an environment variable and
// datagrams; libsystemd would add five libraries to the process for them. Where there is no manager nothing happens.

#include <chrono>
#include <string>

namespace podfence::proxy {

/// One wants to be told (NOTIFY_SOCKET).
bool has_service_manager();

/// READY=1: Podman has answered, and clients are let in.
void notify_ready();
/// RELOADING=1, and at its end READY=1 again if that was said before.
class NotifyReload {
 public:
  NotifyReload();
  ~NotifyReload();
  NotifyReload(const NotifyReload&) = delete;
  NotifyReload& operator=(const NotifyReload&) = delete;
};
/// STOPPING=1; it takes so long at most.
void notify_stopping(std::chrono::seconds at_most);
/// STATUS=: one line for people.
void notify_status(const std::string& status);
/// WATCHDOG=1: still at work.
void notify_alive();
/// Within what time that is expected, again and again; zero: nobody does (WATCHDOG_USEC).
std::chrono::microseconds watchdog_time();

/// FDSTORE=1: the manager keeps a descriptor under that name, and hands it over after a restart
/// (handed_sockets.hpp). False: there is no manager, or it cannot have this name.
bool store_descriptor(int descriptor, const std::string& name);
/// FDSTOREREMOVE=1.
void forget_descriptors(const std::string& name);

}  // namespace podfence::proxy
