#include "proxy/file_watch.hpp"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace podfence::proxy {

namespace asio = boost::asio;
namespace filesystem = std::filesystem;
using namespace std::chrono_literals;

namespace {

constexpr auto quiet_time = 200ms;
constexpr std::uint32_t watched_changes =
    IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB;

/// Which file there is, and when it was written.
std::string state_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return path + " -\n";
  return path + " " + std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino) + " " +
         std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec) + "\n";
}

std::vector<std::string> files_of(const std::string& path) {
  std::error_code error;
  if (!filesystem::is_directory(path, error)) return {path};
  std::vector<std::string> files;
  for (const auto& entry : filesystem::directory_iterator(path, error)) files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

}  // namespace

FileWatch::FileWatch(const Executor& executor, std::vector<std::string> paths, std::function<void()> changed)
    : paths_(std::move(paths)), changed_(std::move(changed)), events_(executor), quiet_(executor), known_(state()) {
  const int events = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (events < 0) throw std::system_error(errno, std::system_category(), "no watch of files");
  events_.assign(events);
  for (const auto& path : paths_) {
    // The directory: a file that is replaced is another one.
    std::error_code ignored;
    const bool whole = filesystem::is_directory(path, ignored);
    const auto directory = whole ? path : filesystem::absolute(path).parent_path().string();
    if (::inotify_add_watch(events, directory.c_str(), watched_changes) < 0)
      throw std::system_error(errno, std::system_category(), "no watch of " + directory);
  }
  wait();
}

void FileWatch::stop() {
  boost::system::error_code ignored;
  events_.close(ignored);
  quiet_.cancel();
}

std::string FileWatch::state() const {
  std::string text;
  for (const auto& path : paths_)
    for (const auto& file : files_of(path)) text += state_of(file);
  return text;
}

void FileWatch::wait() {
  events_.async_wait(asio::posix::stream_descriptor::wait_read, [this](const boost::system::error_code& error) {
    if (error) return;
    std::array<char, 4096> ignored;
    while (::read(events_.native_handle(), ignored.data(), ignored.size()) > 0) continue;
    settle();
    wait();
  });
}

void FileWatch::settle() {
  quiet_.expires_after(quiet_time);
  quiet_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    auto now = state();
    if (now == known_) return;
    known_ = std::move(now);
    changed_();
  });
}

}  // namespace podfence::proxy
