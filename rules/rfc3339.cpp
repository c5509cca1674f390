#include "rules/rfc3339.hpp"

#include "rules/ascii.hpp"

namespace podfence::rules {

namespace {

constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;

/// Days since 1970-01-01 in the proleptic Gregorian calendar; years begin in March so that the leap day is the last.
constexpr std::int64_t days_from_civil(std::int64_t year, std::int64_t month, std::int64_t day) {
  if (month <= 2) --year;
  const std::int64_t month_from_march = (month + 9) % 12;
  const std::int64_t day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
  constexpr std::int64_t days_to_1970 = 719468;
  return 365 * year + year / 4 - year / 100 + year / 400 + day_of_year - days_to_1970;
}
static_assert(days_from_civil(1970, 1, 1) == 0 && days_from_civil(2000, 3, 1) == 11017);

class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : text_(text) {}

  std::int64_t digits(std::size_t count) {
    std::int64_t value = 0;
    for (; count > 0; --count) {
      if (text_.empty() || !ascii::is_digit(text_.front())) return fail();
      value = value * 10 + (text_.front() - '0');
      text_.remove_prefix(1);
    }
    return value;
  }
  bool skip(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!skip(c)) fail();
  }
  std::int64_t fraction() {
    if (!skip('.')) return 0;
    std::int64_t value = 0, unit = nanoseconds_per_second;
    for (; !text_.empty() && ascii::is_digit(text_.front()); text_.remove_prefix(1)) {
      unit /= 10;
      value += unit * (text_.front() - '0');
    }
    return value;
  }
  std::int64_t offset_seconds() {
    if (skip('Z')) return 0;
    const bool west = skip('-');
    if (!west) expect('+');
    const auto hours = digits(2);
    expect(':');
    const auto seconds = (hours * 60 + digits(2)) * 60;
    return west ? -seconds : seconds;
  }
  bool complete() const { return !failed_ && text_.empty(); }

 private:
  std::int64_t fail() {
    failed_ = true;
    return 0;
  }

  std::string_view text_;
  bool failed_ = false;
};

}  // namespace

std::optional<std::int64_t> parse_rfc3339(std::string_view text) {
  TimeReader reader(text);
  const auto year = reader.digits(4);
  reader.expect('-');
  const auto month = reader.digits(2);
  reader.expect('-');
  const auto day = reader.digits(2);
  reader.expect('T');
  const auto hour = reader.digits(2);
  reader.expect(':');
  const auto minute = reader.digits(2);
  reader.expect(':');
  const auto second = reader.digits(2);
  const auto fraction = reader.fraction();
  const auto offset = reader.offset_seconds();
  // Nanoseconds in 64 bits end in 2262; before 1970 there were no containers.
  if (!reader.complete() || year < 1970 || year > 2261 || month < 1 || month > 12) return std::nullopt;
  const auto seconds = ((days_from_civil(year, month, day) * 24 + hour) * 60 + minute) * 60 + second - offset;
  return seconds * nanoseconds_per_second + fraction;
}

}  // namespace podfence::rules
