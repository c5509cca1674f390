#include "rules/http_limits.hpp"

#include <algorithm>

#include "rules/amount.hpp"
#include "rules/json_pointer.hpp"

namespace podfence::rules {

namespace {

using L = HttpLimits;
constexpr std::int64_t k = 1024, m = 1024 * k, g = 1024 * m, t = 1024 * g;
constexpr std::int64_t minute = 60, hour = 60 * minute;

constexpr std::string_view cut = "the connection is closed";

}  // namespace

// A connection's buffer is 64 KiB: a head must fit in with room to spare. Clients keep idle connections for up to three
// minutes; the side that may not send again by itself must not be the first to close.
// clang-format off
const std::array<HttpLimitRow, http_limit_count> http_limit_rows = {{
    {"head_bytes", Unit::Bytes, &L::head_bytes, 4 * k, 32 * k, "the head of a request: start line and fields together, however they are cut into packets", "http.head-too-large"},
    {"fields", Unit::Count, &L::fields, 16, 1000, "header fields of a request", "http.too-many-fields"},
    {"target_bytes", Unit::Bytes, &L::target_bytes, 1 * k, 16 * k, "the request target, as sent", "target.length"},
    {"chunk_extension_bytes", Unit::Bytes, &L::chunk_extension_bytes, 0, 64 * k, "chunk extensions of one message, all together", "http.chunk-extensions"},
    {"json_bytes", Unit::Bytes, &L::json_bytes, 64 * k, 16 * m, "content that is judged", "content.too-large"},
    {"json_depth", Unit::Count, &L::json_depth, 16, 64, "nesting of arrays and objects in it", "content.too-complex"},
    {"json_names", Unit::Count, &L::json_names, 256, 64 * k, "names in one of its objects", "content.too-complex"},
    {"trailer_bytes", Unit::Bytes, &L::trailer_bytes, 0, 64 * k, "trailer fields of an answer of Podman, all together", "upstream.answer"},
    {"answer_bytes", Unit::Bytes, &L::answer_bytes, 1 * m, 1 * g, "an answer of Podman that is rewritten as a whole", "upstream.answer"},
    {"line_bytes", Unit::Bytes, &L::line_bytes, 64 * k, 16 * m, "one line of an answer that is judged line by line", "the line is left out, or the answer is cut off"},
    {"buffered_bytes", Unit::Bytes, &L::buffered_bytes, 64 * m, 16 * g, "judged content and whole answers in memory, of all projects", "server.busy"},
    {"project_buffered_bytes", Unit::Bytes, &L::project_buffered_bytes, 16 * m, 4 * g, "likewise of one project", "server.busy"},
    {"spool_bytes", Unit::Bytes, &L::spool_bytes, 64 * m, 64 * t, "uploads that are on disk until they are judged, of all projects; half of it of one project", "server.busy"},
    {"archive_bytes", Unit::Bytes, &L::archive_bytes, 16 * m, 16 * t, "one of them, unpacked", "archive.too-large"},
    {"unpacking_bytes", Unit::Bytes, &L::unpacking_bytes, 128 * m, 16 * g, "memory of what takes their compression off; half of it for one project", "server.busy"},
    {"connections", Unit::Count, &L::connections, 64, 500'000, "connections of clients, of all projects; fewer where the limit of open files has no room for them", "server.connections"},
    {"project_connections", Unit::Count, &L::project_connections, 16, 100'000, "likewise of one project", "http.connections"},
    {"requests", Unit::Count, &L::requests, 32, 500'000, "requests at work at a time, of all projects, streams and tunnels among them; fewer where the limit of open files has no room for them", "server.requests"},
    {"head_time", Unit::Seconds, &L::head_time, 1, 5 * minute, "from the first byte of a head to its end", "http.timeout"},
    {"content_idle_time", Unit::Seconds, &L::content_idle_time, 5, 1 * hour, "between two pieces of a request's content; all of a content that is judged, archives aside", "http.timeout"},
    {"idle_time", Unit::Seconds, &L::idle_time, 3 * minute + 1, 24 * hour, "between two requests of a connection", cut},
    {"send_idle_time", Unit::Seconds, &L::send_idle_time, 5, 1 * hour, "between two pieces of a whole answer that the client takes", cut},
    {"stream_send_idle_time", Unit::Seconds, &L::stream_send_idle_time, 5, 24 * hour, "likewise of an answer that is passed on as it comes, or of a tunnel", cut},
    {"lock_time", Unit::Seconds, &L::lock_time, 1, 10 * minute, "how long a request waits for others that name the same things", "server.busy"},
    {"turn_time", Unit::Seconds, &L::turn_time, 10, 1 * hour, "how long a create waits for other creates of its project", "server.busy"},
    {"close_time", Unit::Seconds, &L::close_time, 1, 10 * minute, "of a tunnel, after one side ended", cut},
    {"drain_time", Unit::Seconds, &L::drain_time, 1, 10 * minute, "for running requests, when podfence is told to end", cut},
}};
// clang-format on

namespace {

/// What is not larger than what.
struct Order {
  std::string_view smaller, larger;
};
constexpr Order orders[] = {{"target_bytes", "head_bytes"},
                            {"archive_bytes", "spool_bytes"},
                            {"answer_bytes", "project_buffered_bytes"},
                            {"project_buffered_bytes", "buffered_bytes"},
                            {"project_connections", "connections"}};

const HttpLimitRow& row_of(std::string_view key) {
  return *std::ranges::find(http_limit_rows, key, &HttpLimitRow::key);
}

void set(const HttpLimitRow& row, HttpLimits& limits, std::int64_t value) {
  if (const auto* size = std::get_if<std::size_t HttpLimits::*>(&row.member))
    limits.*(*size) = static_cast<std::size_t>(value);
  else
    limits.*std::get<HttpLimits::Time HttpLimits::*>(row.member) = std::chrono::seconds(value);
}

std::string text(const HttpLimitRow& row, std::int64_t value) { return amount_text(row.unit, value); }

/// What is said gives the place; of two that are, the smaller one.
std::optional<HttpLimitError> check_order(const Order& order, const json::Value& said, const HttpLimits& limits) {
  const auto& smaller = row_of(order.smaller);
  const auto& larger = row_of(order.larger);
  const auto low = smaller.value(limits), high = larger.value(limits);
  if (low <= high) return std::nullopt;
  if (said.find(smaller.key))
    return {{json::extended("", smaller.key),
             "must not be more than " + std::string(larger.key) + ", " + text(larger, high)}};
  return {{json::extended("", larger.key),
           "must not be less than " + std::string(smaller.key) + ", " + text(smaller, low)}};
}

}  // namespace

std::int64_t HttpLimitRow::value(const HttpLimits& limits) const {
  if (const auto* size = std::get_if<std::size_t HttpLimits::*>(&member))
    return static_cast<std::int64_t>(limits.*(*size));
  const auto time = limits.*std::get<HttpLimits::Time HttpLimits::*>(member);
  return std::chrono::duration_cast<std::chrono::seconds>(time).count();
}

std::variant<HttpLimits, HttpLimitError> read_http_limits(const json::Value& said) {
  HttpLimits limits;
  for (const auto& row : http_limit_rows) {
    const json::Value* value = said.find(row.key);
    if (!value) continue;
    const auto number = parse_amount(row.unit, *value);
    if (!number || *number < row.least || *number > row.most)
      return HttpLimitError{json::extended("", row.key), "must be " + amount_phrase(row.unit) + "; allowed: " +
                                                             text(row, row.least) + " to " + text(row, row.most)};
    set(row, limits, *number);
  }
  for (const auto& order : orders)
    if (auto error = check_order(order, said, limits)) return *std::move(error);
  return limits;
}

}  // namespace podfence::rules
