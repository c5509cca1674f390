#include "proxy/crash_guard.hpp"

#include <openssl/evp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "proxy/failure.hpp"
#include "proxy/log.hpp"

namespace podfence::proxy {
namespace {

std::string digest_of(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  std::size_t size = 0;
  if (EVP_Q_digest(nullptr, "SHA256", nullptr, bytes.data(), bytes.size(), digest.data(), &size) != 1)
    throw std::runtime_error("OpenSSL has no SHA-256");
  std::string text;
  constexpr char digits[] = "0123456789abcdef";
  for (std::size_t i = 0; i < 8; ++i) text.append(1, digits[digest[i] >> 4]).append(1, digits[digest[i] & 15]);
  return text;
}

/// Not by exit: what is to be done at the end of the process is the parent's.
[[noreturn]] void end_with(const std::function<int()>& work) {
  int code = EXIT_FAILURE;
  try {
    code = work();
  } catch (const std::exception& error) {
    log(said_by(error));
  }
  std::fflush(nullptr);
  ::_exit(code);
}

}  // namespace

CurrentInput::CurrentInput() : file_(memfd_create("podfence-input", MFD_CLOEXEC)) {
  if (file_ < 0) throw_errno("memfd_create");
}

CurrentInput::~CurrentInput() { ::close(file_); }

/// Its size stands before it: what an earlier one has left behind it does not matter.
void CurrentInput::set(std::string_view bytes) {
  std::uint64_t size = bytes.size();
  const std::array<iovec, 2> parts{iovec{&size, sizeof size}, iovec{const_cast<char*>(bytes.data()), bytes.size()}};
  const auto wanted = static_cast<ssize_t>(sizeof size + bytes.size());
  const auto written = ::pwritev(file_, parts.data(), parts.size(), 0);
  if (written < 0) throw_errno("memory of the current input");
  if (written != wanted) throw std::runtime_error("an input is too large to be remembered");
}

std::string CurrentInput::get() const {
  std::uint64_t size = 0;
  if (::pread(file_, &size, sizeof size, 0) != static_cast<ssize_t>(sizeof size)) return {};
  std::string bytes(size, '\0');
  const auto read = ::pread(file_, bytes.data(), bytes.size(), sizeof size);
  bytes.resize(read < 0 ? 0 : static_cast<std::size_t>(read));
  return bytes;
}

GuardedEnd run_guarded(const std::function<int()>& work) {
  std::fflush(nullptr);
  const auto parent = ::getpid();
  const auto child = ::fork();
  if (child < 0) throw_errno("fork");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    end_with(work);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw_errno("waitpid");
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

std::string save_input(const std::string& directory, const std::string& kind, std::string_view bytes) {
  auto path = (directory.empty() ? "" : directory + "/") + kind + "-" + digest_of(bytes);
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
  return path;
}

}  // namespace podfence::proxy
