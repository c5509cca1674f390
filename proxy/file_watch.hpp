#pragma once
// Notices when files have changed, however they were: written in place, replaced by another one, or behind a symbolic
// link that leads elsewhere now (inotify(7)).

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <string>
#include <vector>

#include "proxy/task.hpp"

namespace podfence::proxy {

class FileWatch {
 public:
  /// Files, and directories for all files in them. `changed` is called behind a change, when nothing has happened for
  /// a moment: who writes a file piece by piece is not read halfway. Throws std::system_error.
  FileWatch(const Executor& executor, std::vector<std::string> paths, std::function<void()> changed);
  void stop();

 private:
  void wait();
  void settle();
  std::string state() const;

  std::vector<std::string> paths_;
  std::function<void()> changed_;
  boost::asio::posix::stream_descriptor events_;
  boost::asio::steady_timer quiet_;
  std::string known_;
};

}  // namespace podfence::proxy
