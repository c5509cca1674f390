#pragma once
// IP addresses and subnets in the forms that Go's net package reads (RFC 4291 section 2.2, dotted decimal without
// leading zeros), and which subnets a project may lay out.

#include <array>
#include <cstdint>
#include <optional>
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

/// Private use, not wider than a /16 (v6: /48), and apart from what the rootless network itself lives on. All bridges
/// of a rootless Podman stand in one network namespace: a project with 8.8.8.0/24, or with the 10.0.2.0/24 of
/// slirp4netns, would be sent the traffic of everybody.
bool is_project_subnet(const Subnet& subnet);

}  // namespace podfence::rules
