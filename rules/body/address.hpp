#pragma once
// IP addresses and subnets in the forms that Go's net package reads (RFC 4291 section 2.2, dotted decimal without
// leading zeros), and which subnets a project may lay out.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace podfence::rules {

struct Address {
  bool v6 = false;
  std::array<std::uint8_t, 16> bytes{};  ///< the first four of a v4 address
};

struct Subnet {
  Address address;
  unsigned length = 0;  ///< bits of the prefix
};

std::optional<Address> parse_address(std::string_view text);
std::optional<Subnet> parse_subnet(std::string_view text);

/// All of it of private use, and told by its first address: what policy may let projects choose from.
bool is_private_range(const Subnet& range);

/// Within one of the ranges, not wider than a /16 (v6: /48), and apart from what the rootless network itself lives on.
/// All bridges of a rootless Podman stand in one network namespace: whoever has a subnet is sent what the containers of
/// everybody, and the name server of everybody, send to its addresses.
bool is_project_subnet(const Subnet& subnet, std::span<const std::string> ranges);

}  // namespace podfence::rules
