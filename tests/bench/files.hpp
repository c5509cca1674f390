#pragma once
// Unix sockets and epoll for the small programs of the bench. What fails ends the program with a sentence.

#include <sys/epoll.h>

#include <cstdint>
#include <string>

namespace podfence::bench {

/// "WHAT: the error of the last call", and exit code 1.
[[noreturn]] void die(const std::string& what);

/// Replaces what is there.
int listen_at(const std::string& path);
/// Waits for room in the backlog. Non-blocking afterwards.
int connect_to(const std::string& path);
void set_non_blocking(int file);
/// As many open files as are allowed.
void allow_many_files();

/// Level-triggered. `data` comes back with the events.
class Poll {
 public:
  Poll();
  void add(int file, std::uint32_t events, void* data);
  void change(int file, std::uint32_t events, void* data);
  /// For nobody any more; also done by closing the file.
  void remove(int file);
  /// As epoll_wait; `milliseconds` -1: for ever.
  int wait(epoll_event* events, int most, int milliseconds);

 private:
  int poll_;
};

}  // namespace podfence::bench
