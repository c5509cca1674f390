#include "proxy/service_manager.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "proxy/private_file.hpp"
#include "proxy/send_message.hpp"

namespace podfence::proxy {
namespace {

bool said_ready = false;

std::string_view manager() {
  const char* named = std::getenv("NOTIFY_SOCKET");
  return named == nullptr ? "" : named;
}

/// With `descriptor` unless it is -1. Nothing to do when nobody reads it: the manager then gives up on us by itself.
void tell(std::string_view text, int descriptor = -1) {
  const auto path = manager();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, path.data(), path.size());
  if (path.front() == '@') address.sun_path[0] = '\0';  // the abstract name space
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  const File file(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  send_message(file.descriptor(), text, descriptor, &address, size);
}

/// sd_listen_fds_with_names(3): printable ASCII without colons.
bool is_descriptor_name(const std::string& name) {
  return !name.empty() && name.size() <= 255 &&
         std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~' && c != ':'; });
}

std::string monotonic_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::to_string(now.tv_sec * 1'000'000 + now.tv_nsec / 1'000);
}

}  // namespace

bool has_service_manager() { return !manager().empty(); }

void notify_ready() {
  said_ready = true;
  tell("READY=1");
}

NotifyReload::NotifyReload() { tell("RELOADING=1\nMONOTONIC_USEC=" + monotonic_microseconds()); }

NotifyReload::~NotifyReload() {
  if (said_ready) tell("READY=1");
}

void notify_stopping(std::chrono::seconds at_most) {
  tell("STOPPING=1\nEXTEND_TIMEOUT_USEC=" + std::to_string(std::chrono::microseconds(at_most).count()));
}

void notify_status(const std::string& status) { tell("STATUS=" + status); }

void notify_alive() { tell("WATCHDOG=1"); }

std::chrono::microseconds watchdog_time() {
  const char* time = std::getenv("WATCHDOG_USEC");
  const char* process = std::getenv("WATCHDOG_PID");
  const bool is_ours = process == nullptr || std::strtol(process, nullptr, 10) == getpid();
  return std::chrono::microseconds(time == nullptr || !is_ours ? 0 : std::strtoll(time, nullptr, 10));
}

bool store_descriptor(int descriptor, const std::string& name) {
  if (!has_service_manager() || !is_descriptor_name(name)) return false;
  tell("FDSTORE=1\nFDNAME=" + name, descriptor);
  return true;
}

void forget_descriptors(const std::string& name) {
  if (is_descriptor_name(name)) tell("FDSTOREREMOVE=1\nFDNAME=" + name);
}

}  // namespace podfence::proxy
