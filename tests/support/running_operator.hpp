#pragma once
// The operator's socket and the projects behind it, in the test process, in front of a fake Podman. The configuration
// is a text that a test may change before it is read again.

#include <mutex>
#include <string>
#include <thread>

#include "proxy/admin.hpp"
#include "tests/support/fake_podman.hpp"
#include "tests/support/raw_client.hpp"
#include "tests/support/temporary_directory.hpp"

namespace podfence::testing {

class RunningOperator {
 public:
  /// `{DIR}` in the text stands for the directory of the sockets. `store`: the projects that were added, a file or
  /// ":memory:".
  explicit RunningOperator(std::string configuration = R"({"projects": {"p1": {}, "p10": {}}})",
                           std::string store = ":memory:");
  ~RunningOperator();

  WireAnswer request(const std::string& text) const { return RawClient(path).request(text); }
  WireAnswer get(const std::string& target) const;
  WireAnswer send(const std::string& method, const std::string& target, const std::string& content = "") const;
  std::string socket(const std::string& project) const {
    return directory_.path() + "/podfence/" + project + "/podman.sock";
  }
  std::string directory() const { return directory_.path(); }
  /// As the client of a project.
  WireAnswer ask(const std::string& project, const std::string& request) const {
    return RawClient(socket(project)).request(request);
  }
  /// What is read next.
  void configure(std::string text);

 private:
  struct Running;
  std::variant<rules::ConfigurationBase, std::string> read() const;

  TemporaryDirectory directory_;
  mutable std::mutex mutex_;
  std::string text_;

 public:
  const std::string path = directory_.path() + "/admin/admin.sock";
  FakePodman podman;

 private:
  boost::asio::io_context context_{1};
  std::unique_ptr<Running> running_;
  std::thread thread_;
};

}  // namespace podfence::testing
