#include "tests/support/fake_podman.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cctype>

namespace podfence::testing {

struct FakePodman::Record {
  Socket socket;
  std::string received;
  bool ended = false;  ///< by the proxy
  bool over = false;   ///< its thread has nothing more to do
  std::thread thread;
};

FakePodman::FakePodman(const std::string& path) : listener_(Socket::listen(path)), acceptor_([this] { accept(); }) {}

FakePodman::~FakePodman() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (auto& record : records_) record->socket.shutdown_both();
  }
  changed_.notify_all();
  listener_.shutdown_both();
  acceptor_.join();
  for (auto& record : records_) record->thread.join();
}

void FakePodman::accept() {
  while (true) {
    const int file = ::accept4(listener_.file(), nullptr, nullptr, SOCK_CLOEXEC);
    const std::lock_guard lock(mutex_);
    if (file < 0 || stopping_) return;
    auto& record = *records_.emplace_back(std::make_unique<Record>());
    record.socket = Socket(file);
    record.thread = std::thread([this, &record] { serve(record); });
  }
}

void FakePodman::serve(Record& record) {
  Connection connection(*this, record);
  try {
    while (connection.open() && connection.read_head()) {
      const auto line = connection.head().substr(0, connection.head().find("\r\n"));
      if (const auto script = script_for(line))
        script(connection);
      else
        answer(connection);
    }
  } catch (const Connection::Gone&) {
  }
  const std::lock_guard lock(mutex_);
  if (!connection.resets_) connection.release();
  record.socket.close();
  record.over = true;
}

FakePodman::Script FakePodman::script_for(std::string_view line) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(scripts_.rbegin(), scripts_.rend(),
                                  [&](const auto& script) { return line.starts_with(script.first); });
  return found == scripts_.rend() ? Script() : found->second;
}

void FakePodman::answer(Connection& connection) {
  const auto content = connection.read_content();
  const std::string_view head = connection.head();
  const auto method = head.substr(0, head.find(' '));
  const auto rest = head.substr(method.size() + 1);
  std::string bytes;
  {
    const std::lock_guard lock(mutex_);
    bytes = objects_.answer(method, rest.substr(0, rest.find(' ')), content);
  }
  if (method == "HEAD") bytes.resize(bytes.find("\r\n\r\n") + 4);
  connection.send(bytes);
  if (connection.field("connection") == "close") connection.close();
}

std::string FakePodman::add(rules::Kind kind, std::string name, std::string project) {
  const std::lock_guard lock(mutex_);
  return objects_.add(kind, std::move(name), std::move(project));
}

bool FakePodman::has(rules::Kind kind, std::string_view name) {
  const std::lock_guard lock(mutex_);
  return objects_.find(kind, name) != nullptr;
}

std::string FakePodman::project_of(rules::Kind kind, std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto* object = objects_.find(kind, name);
  return object == nullptr ? "" : object->project;
}

void FakePodman::on(std::string start, Script script) {
  const std::lock_guard lock(mutex_);
  scripts_.emplace_back(std::move(start), std::move(script));
}

FakePodman::Script FakePodman::says(std::string bytes) {
  return [bytes = std::move(bytes)](Connection& connection) {
    connection.read_content();
    connection.send(bytes);
  };
}

FakePodman::Script FakePodman::says_and_closes(std::string bytes) {
  return [bytes = std::move(bytes)](Connection& connection) {
    connection.read_content();
    connection.send(bytes);
    connection.close();
  };
}

FakePodman::Script FakePodman::answers_behind(Gate& gate) {
  return [&gate](Connection& connection) {
    connection.wait(gate);
    connection.answer();
  };
}

std::vector<std::string> FakePodman::requests() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> all;
  for (std::size_t i = 0; i < starts_.size(); ++i) {
    const auto& [record, start] = starts_[i];
    auto end = record->received.size();
    for (std::size_t next = i + 1; next < starts_.size(); ++next)
      if (starts_[next].first == record) end = std::min(end, starts_[next].second);
    all.push_back(record->received.substr(start, end - start));
  }
  return all;
}

std::vector<std::string> FakePodman::lines() {
  auto all = requests();
  for (auto& request : all) request.resize(std::min(request.find("\r\n"), request.size()));
  return all;
}

std::vector<std::string> FakePodman::requests(std::string_view start) {
  auto all = requests();
  std::erase_if(all, [&](const std::string& request) { return !request.starts_with(start); });
  return all;
}

std::size_t FakePodman::bytes() {
  const std::lock_guard lock(mutex_);
  std::size_t size = 0;
  for (const auto& record : records_) size += record->received.size();
  return size;
}

std::size_t FakePodman::connections() {
  const std::lock_guard lock(mutex_);
  return records_.size();
}

void FakePodman::hang_up() {
  const std::lock_guard lock(mutex_);
  for (auto& record : records_) record->socket.shutdown_both();
}

void FakePodman::forget() {
  std::list<std::unique_ptr<Record>> over;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(starts_, [](const auto& start) { return start.first->over; });
    for (auto next = records_.begin(); next != records_.end();) {
      const auto place = next++;
      if ((*place)->over) over.splice(over.end(), records_, place);
    }
  }
  for (auto& record : over) record->thread.join();
}

bool FakePodman::saw(std::string_view text, Milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, timeout, [&] {
    return std::ranges::any_of(records_,
                               [&](const auto& record) { return record->received.find(text) != std::string::npos; });
  });
}

bool FakePodman::ended(std::string_view text, Milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, timeout, [&] {
    return std::ranges::any_of(records_, [&](const auto& record) {
      return record->ended && record->received.find(text) != std::string::npos;
    });
  });
}

std::string FakePodman::Connection::receive() {
  if (!buffer_.empty()) return std::exchange(buffer_, {});
  while (true) {
    release();
    auto piece = record_.socket.peek(Milliseconds(50));
    const std::lock_guard lock(podman_.mutex_);
    if (podman_.stopping_) throw Gone();
    if (!piece) continue;
    hold_back(piece->size());
    record_.received += *piece;
    record_.ended = piece->empty();
    podman_.changed_.notify_all();
    return std::move(*piece);
  }
}

void FakePodman::Connection::hold_back(std::size_t size) {
  if (size == 0) return;
  record_.socket.skip(size - 1);
  holds_back_ = true;
}

void FakePodman::Connection::release() {
  if (std::exchange(holds_back_, false)) record_.socket.skip(1);
}

bool FakePodman::Connection::read_head() {
  auto size = std::string::npos;
  std::string bytes;
  while ((size = bytes.find("\r\n\r\n")) == std::string::npos) {
    const auto piece = receive();
    if (piece.empty()) return false;
    bytes += piece;
  }
  head_ = bytes.substr(0, size + 4);
  buffer_ = bytes.substr(size + 4);
  const std::lock_guard lock(podman_.mutex_);
  podman_.starts_.emplace_back(&record_, record_.received.size() - bytes.size());
  return true;
}

std::string FakePodman::Connection::field(std::string_view lower_case_name) const {
  std::string lower = head_;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto start = lower.find("\r\n" + std::string(lower_case_name) + ": ");
  if (start == std::string::npos) return "";
  const auto value = start + lower_case_name.size() + 4;
  return lower.substr(value, lower.find("\r\n", value) - value);
}

void FakePodman::Connection::need(std::size_t size) {
  std::string bytes = std::exchange(buffer_, {});
  while (bytes.size() < size) {
    const auto piece = receive();
    if (piece.empty()) throw Gone();
    bytes += piece;
  }
  buffer_ = std::move(bytes);
}

std::string FakePodman::Connection::take(std::size_t size) {
  need(size);
  auto taken = buffer_.substr(0, size);
  buffer_.erase(0, size);
  return taken;
}

std::string FakePodman::Connection::take_line() {
  auto end = std::string::npos;
  while ((end = buffer_.find("\r\n")) == std::string::npos) need(buffer_.size() + 1);
  auto line = take(end + 2);
  line.resize(end);
  return line;
}

std::string FakePodman::Connection::read_content() {
  if (field("transfer-encoding") != "chunked") {
    const auto length = field("content-length");
    return length.empty() ? "" : take(std::stoul(length));
  }
  std::string content;
  while (const auto size = std::stoul(take_line(), nullptr, 16)) {
    content += take(size);
    take(2);
  }
  take(2);
  return content;
}

void FakePodman::Connection::send(std::string_view bytes) {
  if (!record_.socket.send(bytes)) throw Gone();
}

void FakePodman::Connection::pause(Milliseconds time) {
  std::unique_lock lock(podman_.mutex_);
  if (podman_.changed_.wait_for(lock, time, [this] { return podman_.stopping_; })) throw Gone();
}

void FakePodman::Connection::wait(const Gate& gate) {
  while (!gate.is_open()) pause(Milliseconds(2));
}

void FakePodman::Connection::half_close() { record_.socket.shutdown_write(); }

void FakePodman::Connection::reset() {
  open_ = false;
  resets_ = true;
}

void FakePodman::Connection::close() {
  open_ = false;
  release();
  record_.socket.shutdown_both();
}

void FakePodman::Connection::echo() {
  for (auto bytes = receive(); !bytes.empty(); bytes = receive()) send(bytes);
  close();
}

void FakePodman::Connection::drain() {
  while (!receive().empty()) continue;
  open_ = false;
}

}  // namespace podfence::testing
