// What testcontainers starts beside a test to tidy up behind it, as small as it can be: on port 8080 a connection
// writes filters, a line each, and once it is gone everything that has one of those labels is removed through the
// socket that is mounted at /var/run/docker.sock. Says what it sees there.

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace {

struct Kind {
  const char* listing;
  const char* key;     // of its name in the listing
  const char* target;  // of its removal, before and behind that
  const char* options;
};
constexpr Kind kinds[] = {{"/containers/json?all=true&", "\"Id\":\"", "/containers/", "?force=true&v=true"},
                          {"/networks?", "\"Id\":\"", "/networks/", ""},
                          {"/volumes?", "\"Name\":\"", "/volumes/", "?force=true"}};

/// The whole answer. Chunks are not taken apart: what is looked for in it is short.
std::string asked(const std::string& method, const std::string& target) {
  const int engine = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, "/var/run/docker.sock");
  if (connect(engine, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) std::perror("docker.sock");
  const auto request = method + " /v1.41" + target + " HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n";
  (void)!write(engine, request.data(), request.size());
  std::string answer;
  char piece[4096];
  for (ssize_t size; (size = read(engine, piece, sizeof piece)) > 0;)
    answer.append(piece, static_cast<std::size_t>(size));
  close(engine);
  return answer;
}

std::vector<std::string> values(const std::string& text, const std::string& key) {
  std::vector<std::string> found;
  for (auto at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
    const auto begin = at + key.size();
    found.push_back(text.substr(begin, text.find('"', begin) - begin));
  }
  return found;
}

std::string host_name() {
  char name[65] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

/// Of a filter `label=NAME=VALUE`, as a query's value.
std::string query(const std::string& filter) {
  std::string text = "filters=";
  char code[4];
  for (const unsigned char c : "{\"label\":[\"" + filter.substr(filter.find('=') + 1) + "\"]}") {
    std::snprintf(code, sizeof code, "%%%02X", c);
    text += code;
  }
  return text;
}

void remove_all(const std::set<std::string>& filters) {
  for (const auto& kind : kinds)
    for (const auto& filter : filters)
      for (const auto& name : values(asked("GET", kind.listing + query(filter)), kind.key)) {
        if (name.starts_with(host_name())) continue;  // itself
        const auto answer = asked("DELETE", kind.target + name + kind.options);
        std::printf("removed %s%s: %s\n", kind.target, name.c_str(), answer.substr(9, 3).c_str());
      }
}

/// The filters of one connection, each acknowledged.
void serve(int client) {
  std::set<std::string> filters;
  std::string line;
  for (char c; read(client, &c, 1) == 1;) {
    if (c != '\n') {
      if (c != '\r') line += c;
      continue;
    }
    filters.insert(line);
    line.clear();
    (void)!write(client, "ACK\n", 4);
  }
  close(client);
  if (!filters.empty()) remove_all(filters);
}

}  // namespace

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  for (const auto& kind : kinds)
    for (const auto& name : values(asked("GET", kind.listing), "\"Name\":\""))
      std::printf("sees %s%s\n", kind.target, name.c_str());
  for (const auto& name : values(asked("GET", "/containers/json?all=true"), "\"Names\":[\""))
    std::printf("sees container %s\n", name.c_str());
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  const int yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(8080);
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(listener, 8) != 0) return 1;
  std::puts("Started");
  for (;;)
    if (const int client = accept(listener, nullptr, nullptr); client >= 0) serve(client);
}
