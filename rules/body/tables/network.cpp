// Networks: create, connect, disconnect, update.

#include "rules/body/checks.hpp"
#include "rules/body/tables/parts.hpp"

namespace podfence::rules {

namespace {

using enum Shape;

// clang-format off
constexpr Row create_compat[] = {
    {"",                              Object,  checked(finish_network_compat, "the project's label and `isolate=true` are added")},
    {"Name",                          Text,    network_name},
    {"CheckDuplicate",                Boolean, force("true")},  // else some versions answer with a foreign network of the name
    {"Driver",                        Text,    choice("bridge default")},
    {"Scope",                         Any,     drop},
    {"EnableIPv4",                    Boolean, pass},
    {"EnableIPv6",                    Boolean, pass},
    {"IPAM.Driver",                   Text,    choice("default")},
    {"IPAM.Options",                  Any,     deny_field},
    {"IPAM.Config[].Subnet",          Text,    subnet},
    {"IPAM.Config[].IPRange",         Text,    subnet},
    {"IPAM.Config[].Gateway",         Text,    address},
    {"IPAM.Config[].AuxiliaryAddresses", Any,  deny_field},
    {"Internal",                      Boolean, pass},
    {"Attachable",                    Boolean, pass},
    {"Ingress",                       Any,     drop},
    {"ConfigOnly",                    Boolean, deny_field},
    {"ConfigFrom",                    Any,     deny_field},
    {"Options{}",                     Text,    network_option_compat},
    {"Labels{}",                      Text,    label},
};

constexpr Row create_libpod[] = {
    {"",                              Object,  checked(finish_network_libpod, "the project's label and `isolate=true` are added")},
    {"name",                          Text,    network_name},
    {"id",                            Text,    deny_field},
    {"driver",                        Text,    choice("bridge")},
    {"network_interface",             Text,    deny_field},
    {"created",                       Any,     default_is("\"0001-01-01T00:00:00Z\"", deny_field)},  // Go's zero time
    {"subnets[].subnet",              Text,    subnet},
    {"subnets[].gateway",             Text,    address},
    {"subnets[].lease_range.start_ip", Text,   address},
    {"subnets[].lease_range.end_ip",  Text,    address},
    {"routes",                        Any,     deny_field},
    {"ipv6_enabled",                  Boolean, pass},
    {"internal",                      Boolean, pass},
    {"dns_enabled",                   Boolean, pass},
    {"network_dns_servers",           Any,     deny_field},
    {"labels{}",                      Text,    label},
    {"options{}",                     Text,    network_option_libpod},
    {"ipam_options",                  Any,     deny_field},
};

constexpr Row endpoint[] = {
    {"IPAMConfig.IPv4Address",    Text,    address},
    {"IPAMConfig.IPv6Address",    Text,    address},
    {"IPAMConfig.LinkLocalIPs",   Any,     drop},
    {"Links",                     Any,     deny_field},
    {"Aliases[]",                 Text,    alias},
    {"DriverOpts",                Any,     deny_field},
    {"GwPriority",                Any,     drop},
    {"NetworkID",                 Any,     drop},
    {"EndpointID",                Any,     drop},
    {"Gateway",                   Any,     drop},
    {"IPAddress",                 Text,    address},
    {"MacAddress",                Text,    hardware_address},
    {"IPPrefixLen",               Any,     drop},
    {"IPv6Gateway",               Any,     drop},
    {"GlobalIPv6Address",         Any,     drop},
    {"GlobalIPv6PrefixLen",       Any,     drop},
    {"DNSNames",                  Any,     drop},
};

constexpr Row network_use[] = {
    {"static_ips[]",    Text, address},
    {"aliases[]",       Text, alias},
    {"static_mac",      Text, hardware_address},
    {"interface_name",  Text, interface_name},
    {"options",         Any,  deny_field},
};

constexpr Row connect_compat[] = {
    {"",                Object, checked(finish_connect_compat, "the container is found by its name, also where that is private; where nothing may reach out, the network is internal")},
    {"Container",       Text,   container},
};
constexpr Row connect_libpod[] = {
    {"",                Object, checked(finish_connect_libpod, "the container is found by its name, also where that is private; where nothing may reach out, the network is internal")},
    {"container",       Text,  container},
    {"EndpointConfig",  Any,   drop},  // podman-py; Podman does not hear it here
};

constexpr Row disconnect[] = {
    {"Container",  Text,    container},
    {"Force",      Boolean, pass},
};

constexpr Row update[] = {
    {"adddnsservers",     Any, deny_field},
    {"removednsservers",  Any, deny_field},
};
// clang-format on

}  // namespace

constinit const std::span<const Row> network_compat_rows = create_compat;
constinit const std::span<const Row> network_libpod_rows = create_libpod;
constinit const std::span<const Row> network_update_rows = update;
constinit const std::span<const Row> endpoint_rows = endpoint;
constinit const std::span<const Row> network_use_rows = network_use;
constinit const std::span<const Row> connect_compat_rows = connect_compat;
constinit const std::span<const Row> connect_libpod_rows = connect_libpod;
constinit const std::span<const Row> disconnect_rows = disconnect;

}  // namespace podfence::rules
