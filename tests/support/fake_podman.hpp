#pragma once
// Podman's socket as the proxy sees it, in the test process. Keeps every byte that arrives, answers by its objects, and
// plays scripts where a test wants an answer down to the byte. One thread for each connection, blocking sockets.

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/fake_objects.hpp"
#include "tests/support/socket.hpp"

namespace podfence::testing {

class Gate;

class FakePodman {
 public:
  class Connection;
  using Script = std::function<void(Connection&)>;

  explicit FakePodman(const std::string& path);
  ~FakePodman();

  /// The object's full id.
  std::string add(rules::Kind kind, std::string name, std::string project);
  bool has(rules::Kind kind, std::string_view name);
  std::string project_of(rules::Kind kind, std::string_view name);

  /// Requests whose first line begins so are answered by the script; the latest fitting one counts. When it returns
  /// with the connection open, the next request is read.
  void on(std::string start, Script script);
  /// A script that reads the whole request and sends these bytes.
  static Script says(std::string bytes);
  /// As `says`, and then ends the connection.
  static Script says_and_closes(std::string bytes);
  /// A script that answers as without one, as soon as the gate is open.
  static Script answers_behind(Gate& gate);

  /// Every request so far, in order of arrival: the exact bytes, head and as much of the content as was read.
  std::vector<std::string> requests();
  /// First lines of them, without the version: "POST /v1.41/containers/create HTTP/1.1".
  std::vector<std::string> lines();
  /// The requests whose first line begins so.
  std::vector<std::string> requests(std::string_view start);
  /// Number of bytes that ever arrived, requests or not.
  std::size_t bytes();
  std::size_t connections();
  /// Ends all connections.
  void hang_up();
  /// Drops what is known of connections that are over, so that a test may make any number of them.
  void forget();
  /// Was that text ever received, on any connection? Waits for it.
  bool saw(std::string_view text, Milliseconds timeout = patience);
  /// Has the proxy ended the connection on which that text arrived? Waits for it. Needs a script that reads on.
  bool ended(std::string_view text, Milliseconds timeout = patience);

 private:
  struct Record;
  void accept();
  void serve(Record& record);
  Script script_for(std::string_view line);
  void answer(Connection& connection);

  Socket listener_;
  std::mutex mutex_;
  std::condition_variable changed_;
  FakeObjects objects_;
  std::vector<std::pair<std::string, Script>> scripts_;
  std::list<std::unique_ptr<Record>> records_;
  std::vector<std::pair<Record*, std::size_t>> starts_;  ///< where each request begins in its connection's bytes
  bool stopping_ = false;
  std::thread acceptor_;
};

/// Lets a test hold a script back until it has looked at what came so far.
class Gate {
 public:
  void open() { open_ = true; }
  bool is_open() const { return open_; }

 private:
  std::atomic<bool> open_{false};
};

/// The connection in the hands of a script.
class FakePodman::Connection {
 public:
  /// Thrown out of a script when the proxy or the test has ended the connection.
  struct Gone {};

  Connection(FakePodman& podman, Record& record) : podman_(podman), record_(record) {}

  /// Reads the next request's head; false at the end of the connection.
  bool read_head();
  const std::string& head() const { return head_; }
  /// The content, de-chunked, read by the head's framing.
  std::string read_content();
  /// Some bytes behind what was read so far; "" at the end.
  std::string receive();
  void send(std::string_view bytes);
  void pause(Milliseconds time);
  void wait(const Gate& gate);
  void half_close();
  void close();
  /// Ends the connection with bytes in it that were not read: the proxy meets an error instead of the end.
  void reset();
  /// Reads the request and answers it by the objects, as if there were no script.
  void answer() { podman_.answer(*this); }
  /// Sends back what arrives until the proxy half-closes.
  void echo();
  /// Reads until the proxy ends its side.
  void drain();
  bool open() const { return open_; }

 private:
  friend class FakePodman;
  void hold_back(std::size_t size);
  void release();
  void need(std::size_t size);
  std::string take(std::size_t size);
  std::string take_line();
  std::string field(std::string_view lower_case_name) const;

  FakePodman& podman_;
  Record& record_;
  std::string buffer_;
  std::string head_;
  bool open_ = true;
  bool resets_ = false;
  bool holds_back_ = false;  ///< the last byte that was read is still in the socket
};

}  // namespace podfence::testing
