#pragma once
// Work that may end the process, done in a child of it. What the child was busy with is written down where its end does
// not reach, so that the parent can save it.

#include <functional>
#include <string>
#include <string_view>

namespace podfence::proxy {

/// Bytes in memory that parent and child share.
class CurrentInput {
 public:
  /// Throws std::system_error, here and below.
  CurrentInput();
  ~CurrentInput();
  CurrentInput(const CurrentInput&) = delete;
  CurrentInput& operator=(const CurrentInput&) = delete;

  void set(std::string_view bytes);
  std::string get() const;

 private:
  int file_;
};

struct GuardedEnd {
  int exit_code = 0;
  int signal = 0;  ///< that the work was ended by; 0: none, exit_code counts
};

/// Runs `work` in a child, which ends with the number that it returns, and waits. A parent that ends ends the child.
/// To be called while the process has one thread.
GuardedEnd run_guarded(const std::function<int()>& work);

/// Writes `KIND-` and the begin of the SHA-256 of the bytes in the directory, and returns that path. Throws
/// std::runtime_error when it cannot be written.
std::string save_input(const std::string& directory, const std::string& kind, std::string_view bytes);

}  // namespace podfence::proxy
