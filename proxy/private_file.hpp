#pragma once
// Files that nobody but podfence may write: opened without following a link, made with mode 0600, and refused when
// another user owns them or may write them.

#include <string>

namespace podfence::proxy {

/// An open file descriptor.
class File {
 public:
  explicit File(int descriptor = -1) : descriptor_(descriptor) {}
  ~File();
  File(File&& other) noexcept : descriptor_(other.release()) {}
  File& operator=(File&& other) noexcept;

  int descriptor() const { return descriptor_; }
  int release();

 private:
  int descriptor_;
};

/// `flags` as for open(2), without O_CREAT. Throws std::runtime_error with a sentence that names the path,
/// std::system_error where the kernel says no.
File open_private_file(const std::string& path, int flags);

/// Made with mode 0700 if it is absent, its missing parents too. Throws when others may write to it.
void make_private_directory(const std::string& path);

}  // namespace podfence::proxy
