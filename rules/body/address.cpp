#include "rules/body/address.hpp"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "rules/ascii.hpp"

namespace podfence::rules {

namespace {

std::optional<unsigned> parse_number(std::string_view text, int base, std::size_t digits, unsigned most) {
  if (text.empty() || text.size() > digits) return std::nullopt;
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size() || value > most) return std::nullopt;
  return value;
}

std::optional<std::array<std::uint8_t, 4>> parse_v4(std::string_view text) {
  std::array<std::uint8_t, 4> bytes{};
  for (std::size_t index = 0; index < bytes.size(); ++index) {
    const std::size_t end = index == 3 ? text.size() : text.find('.');
    if (end == std::string_view::npos) return std::nullopt;
    const auto part = text.substr(0, end);
    const auto value = parse_number(part, 10, 3, 255);
    if (!value || (part.size() > 1 && part.front() == '0')) return std::nullopt;
    bytes[index] = static_cast<std::uint8_t>(*value);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return bytes;
}

/// The groups of one side of "::". The very last of an address may be a dotted v4, which counts as two.
bool parse_groups(std::string_view text, bool is_end, std::vector<std::uint8_t>& bytes) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(':'), text.size());
    const auto part = text.substr(0, end);
    if (is_end && end == text.size() && part.find('.') != std::string_view::npos) {
      const auto tail = parse_v4(part);
      if (!tail) return false;
      bytes.insert(bytes.end(), tail->begin(), tail->end());
      return true;
    }
    const auto group = parse_number(part, 16, 4, 0xffff);
    if (!group) return false;
    bytes.push_back(static_cast<std::uint8_t>(*group >> 8));
    bytes.push_back(static_cast<std::uint8_t>(*group & 0xff));
    if (end + 1 == text.size()) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

std::optional<Address> parse_v6(std::string_view text) {
  const std::size_t gap = text.find("::");
  const bool has_gap = gap != std::string_view::npos;
  std::vector<std::uint8_t> head, tail;
  if (!parse_groups(text.substr(0, gap), !has_gap, head)) return std::nullopt;
  if (has_gap && !parse_groups(text.substr(gap + 2), true, tail)) return std::nullopt;
  const std::size_t size = head.size() + tail.size();
  if (has_gap ? size > 14 : size != 16) return std::nullopt;
  Address address{.v6 = true};
  std::ranges::copy(head, address.bytes.begin());
  std::ranges::copy_backward(tail, address.bytes.end());
  return address;
}

bool bit_of(const Address& address, unsigned bit) { return (address.bytes[bit / 8] & (0x80u >> (bit % 8))) != 0; }

bool lies_in(const Address& address, const Subnet& subnet) {
  if (address.v6 != subnet.address.v6) return false;
  for (unsigned bit = 0; bit < subnet.length; ++bit)
    if (bit_of(address, bit) != bit_of(subnet.address, bit)) return false;
  return true;
}

bool lies_in(const Subnet& inner, const Subnet& outer) {
  return inner.length >= outer.length && lies_in(inner.address, outer);
}

bool overlap(const Subnet& left, const Subnet& right) { return lies_in(left, right) || lies_in(right, left); }

bool is_first_address(const Subnet& subnet) {
  for (unsigned bit = subnet.length; bit < (subnet.address.v6 ? 128 : 32); ++bit)
    if (bit_of(subnet.address, bit)) return false;
  return true;
}

/// Prefixes that a project may ask for.
bool has_project_length(const Subnet& subnet) {
  const auto [shortest, longest] = subnet.address.v6 ? std::pair(48u, 126u) : std::pair(16u, 30u);
  return subnet.length >= shortest && subnet.length <= longest;
}

// RFC 1918, RFC 4193
constexpr auto private_ranges =
    std::to_array<std::string_view>({"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fd00::/8"});
// slirp4netns: the namespace's own address, its gateway and its name server are in these.
constexpr auto taken = std::to_array<std::string_view>({"10.0.2.0/24", "fd00::/64"});

}  // namespace

std::optional<Address> parse_address(std::string_view text) {
  if (text.find(':') != std::string_view::npos) return parse_v6(text);
  const auto bytes = parse_v4(text);
  if (!bytes) return std::nullopt;
  Address address;
  std::ranges::copy(*bytes, address.bytes.begin());
  return address;
}

std::optional<Subnet> parse_subnet(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto address = parse_address(text.substr(0, slash));
  if (!address) return std::nullopt;
  const auto length = parse_number(text.substr(slash + 1), 10, 3, address->v6 ? 128 : 32);
  if (!length) return std::nullopt;
  return Subnet{*address, *length};
}

bool is_private_range(const Subnet& range) {
  return is_first_address(range) &&
         std::ranges::any_of(private_ranges, [&](auto text) { return lies_in(range, *parse_subnet(text)); });
}

bool is_project_subnet(const Subnet& subnet, std::span<const std::string> ranges) {
  return has_project_length(subnet) &&
         std::ranges::none_of(taken, [&](auto text) { return overlap(subnet, *parse_subnet(text)); }) &&
         std::ranges::any_of(ranges, [&](const auto& text) { return lies_in(subnet, *parse_subnet(text)); });
}

}  // namespace podfence::rules
