// Namespaces, networks and ports.

#include <doctest/doctest.h>

#include <array>

#include "rules/body/address.hpp"
#include "tests/rules/body_judge.hpp"

using namespace podfence::tests;

namespace {

struct Case {
  const char* what;
  const char* refusal;
};

std::string mode(const std::string& text) { return host_config(R"("NetworkMode":")" + text + "\""); }
std::string sent_mode(const std::string& text) { return R"("NetworkMode":")" + text + "\""; }
std::string object(const std::string& name, const std::string& nsmode, const std::string& value = "") {
  return libpod("\"" + name + R"(":{"nsmode":")" + nsmode + R"(","value":")" + value + "\"}");
}
std::string published(const std::string& key, const std::string& binding) {
  return host_config(R"("PortBindings":{")" + key + R"(":[{)" + binding + "}]}");
}
std::string mapped(const std::string& mapping) { return libpod(R"("portmappings":[{)" + mapping + "}]"); }

}  // namespace

TEST_CASE("namespaces of the host and of foreign containers are refused in compat") {
  for (const char* field : {"PidMode", "IpcMode", "UTSMode", "NetworkMode", "CgroupnsMode"}) {
    const auto judged_mode = [&](const std::string& text) {
      return host_config("\"" + std::string(field) + "\":\"" + text + "\"");
    };
    const bool joins = std::string_view(field) != "CgroupnsMode";
    CAPTURE(std::string(field));
    CHECK(judged_mode("host") == "namespace.host");
    CHECK(judged_mode("ns:/proc/1/ns/x") == "namespace.host");
    CHECK(judged_mode("container:their") == (joins ? "ownership.hidden" : "namespace.mode"));
    CHECK(judged_mode("container:nothing") == (joins ? "ownership.hidden" : "namespace.mode"));
    CHECK(judged_mode("container:").substr(8, 5) != "their");
    CHECK(sends(judged_mode("container:web"), joins ? "container:" + id('c') : std::string("namespace.mode")));
    CHECK(sends(judged_mode("private"), "\"private\""));
  }
  CHECK(host_config(R"("PidMode":"HOST")") == "namespace.mode");
  CHECK(host_config(R"("UsernsMode":"keep-id:uid=0,gid=0")") == "namespace.mode");
  CHECK(host_config(R"("UsernsMode":"auto")") == "namespace.mode");
  CHECK(host_config(R"("UsernsMode":"ns:/x")") == "namespace.host");
  CHECK(host_config(R"("UsernsMode":"container:web")") == "namespace.mode");
  CHECK_FALSE(sends(host_config(R"("UsernsMode":"host")"), "UsernsMode"));
  CHECK(sends(host_config(R"("IpcMode":"shareable")"), "shareable"));
}

TEST_CASE("namespaces of the host and of foreign containers are refused in libpod") {
  for (const char* field : {"pidns", "ipcns", "utsns", "netns", "cgroupns"}) {
    const bool joins = std::string_view(field) != "cgroupns";
    CAPTURE(std::string(field));
    CHECK(object(field, "host") == "namespace.host");
    CHECK(object(field, "path", "/proc/1/ns/x") == "namespace.host");
    CHECK(object(field, "ns", "/proc/1/ns/x") == "namespace.host");
    CHECK(object(field, "private", "/proc/1/ns/x").find('.') != std::string::npos);
    CHECK(object(field, "", "/proc/1/ns/x").find('{') == std::string::npos);
    CHECK(object(field, "container", "their") == (joins ? "ownership.hidden" : "namespace.mode"));
    CHECK(object(field, "container", "nothing") == (joins ? "ownership.hidden" : "namespace.mode"));
    CHECK(sends(object(field, "container", "web"), joins ? R"("value":")" + id('c') : std::string("namespace.mode")));
    CHECK(object(field, "container").find('{') == std::string::npos);
    CHECK(object(field, "Host").find('{') == std::string::npos);
  }
  CHECK(object("userns", "auto") == "namespace.mode");
  CHECK(object("userns", "private") == "namespace.mode");
  CHECK(object("userns", "keep-id", "uid=0") == "namespace.mode");
  CHECK(sends(object("userns", "keep-id"), "keep-id"));
  CHECK_FALSE(sends(object("userns", "host"), "userns"));
  CHECK(judged(Body::PodCreate, R"({"pidns":{"nsmode":"host"}})") == "namespace.host");
  CHECK(judged(Body::PodCreate, R"({"netns":{"nsmode":"host"}})") == "namespace.host");
}

TEST_CASE("other references are resolved or hidden") {
  CHECK(sends(libpod(R"("dependencyContainers":["web"])"), id('c')));
  CHECK(libpod(R"("dependencyContainers":["their"])") == "ownership.hidden");
  CHECK(sends(libpod(R"("pod":"pod")"), R"("pod":")" + id('d')));
  CHECK(libpod(R"("pod":"theirpod")") == "ownership.hidden");
  CHECK(libpod(R"("pod":"nothing")") == "ownership.hidden");
  CHECK(host_config(R"("Links":["their:x"])") == "field.refused");
  for (const char* image : {"localhost/theirs", "localhost/nothing", "dir:/etc", "docker-archive:/x", "444444444444"}) {
    CAPTURE(std::string(image));
    CHECK(judged(Body::ContainerCreateCompat, R"({"Image":")" + std::string(image) + "\"}") == "ownership.hidden");
    CHECK(judged(Body::ContainerCreateLibpod, R"({"image":")" + std::string(image) + "\"}") == "ownership.hidden");
  }
}

TEST_CASE("the default network becomes a private one in compat") {
  for (const char* text : {"", "default", "bridge", "podman", "private", "slirp4netns", "pasta"}) {
    CAPTURE(std::string(text));
    CHECK(sends(mode(text), sent_mode("private")));
  }
  CHECK(sends(compat(R"("NetworkingConfig":{"EndpointsConfig":{"default":{},"bridge":{"Aliases":["a"]}}})"),
              sent_mode("private")));
  CHECK_FALSE(sends(compat(R"("NetworkingConfig":{"EndpointsConfig":{"default":{}}})"), "EndpointsConfig"));
  CHECK(sends(mode("none"), sent_mode("none")));
  CHECK_FALSE(sends(compat(R"("HostConfig":{"NetworkMode":"none"},"NetworkingConfig":{"EndpointsConfig":{"none":{}}})"),
                    "EndpointsConfig"));
}

TEST_CASE("networks of the project are named by their ids, foreign ones are hidden") {
  CHECK(sends(mode("net"), sent_mode(id('b'))));
  CHECK(sends(mode(id('b')), sent_mode(id('b'))));
  for (const char* name : {"theirnet", "nothing", "HOST", "Bridge"}) {
    CAPTURE(std::string(name));
    CHECK(mode(name) == "ownership.hidden");
    CHECK(compat(R"("NetworkingConfig":{"EndpointsConfig":{")" + std::string(name) + R"(":{}}})") ==
          "ownership.hidden");
    CHECK(libpod(R"("netns":{"nsmode":"bridge"},"Networks":{")" + std::string(name) + R"(":{}})") ==
          "ownership.hidden");
    CHECK(libpod(R"("cni_networks":[")" + std::string(name) + "\"]") == "ownership.hidden");
    CHECK(libpod(R"("networkOrder":[")" + std::string(name) + "\"]") == "ownership.hidden");
    CHECK(judged(Body::PodCreate, R"({"Networks":{")" + std::string(name) + R"(":{}}})") == "ownership.hidden");
  }
  // The default network by its id is not the project's either.
  CHECK(mode(id('0')) == "ownership.hidden");
  CHECK(libpod(R"("Networks":{")" + id('0') + R"(":{}})") == "ownership.hidden");
  for (const char* text : {"net,theirnet", "net:alias=x", "bridge:ip=10.88.0.9", "slirp4netns:allow_host_loopback=true",
                           "pasta:-l,/home/x", "pasta:--pcap,/x", "private:x", "none:x", "net,"}) {
    CAPTURE(std::string(text));
    CHECK(mode(text) == "network.mode");
  }
  CHECK(libpod(R"("netns":{"nsmode":"pasta"},"network_options":{"pasta":["--pcap","/x"]})") == "network.mode");
  CHECK(libpod(R"("netns":{"nsmode":"slirp4netns","value":"allow_host_loopback=true"})") == "network.mode");
  CHECK(libpod(R"("netns":{"nsmode":"net"})") == "network.mode");
}

TEST_CASE("networks in EndpointsConfig decide the mode where none is said") {
  const auto text = compat(R"("NetworkingConfig":{"EndpointsConfig":{"default":{},"net":{"Aliases":["a"]}}})");
  CHECK(sends(text, sent_mode(id('b'))));
  CHECK(sends(text, R"("EndpointsConfig":{")" + id('b') + R"(":{"Aliases":["a"]}})"));
  CHECK(sends(compat(R"("HostConfig":{"NetworkMode":"bridge"},"NetworkingConfig":{"EndpointsConfig":{"net2":{}}})"),
              sent_mode(id('9'))));
  CHECK(compat(R"("NetworkingConfig":{"EndpointsConfig":{"net":{},")" + id('b') + R"(":{}}})") == "field.repeated");
}

TEST_CASE("libpod's mode follows from the networks") {
  CHECK(sends(libpod(""), R"("netns":{"nsmode":"private"})"));
  CHECK(sends(object("netns", "bridge"), R"("netns":{"nsmode":"private"})"));
  CHECK(sends(object("netns", "none"), R"("netns":{"nsmode":"none"})"));
  CHECK(sends(libpod(R"("netns":{"nsmode":"bridge"},"Networks":{"default":{}})"), R"("netns":{"nsmode":"private"})"));
  const auto named = libpod(R"("netns":{"nsmode":"bridge"},"Networks":{"net":{"aliases":["a"]}})");
  CHECK(sends(named, R"("Networks":{")" + id('b') + R"(":{"aliases":["a"]}})"));
  CHECK(sends(named, R"("netns":{"nsmode":"bridge"})"));
  CHECK(sends(libpod(R"("Networks":{"net":{}})"), R"("netns":{"nsmode":"bridge"})"));
  CHECK_FALSE(sends(libpod(R"("pod":"pod")"), "netns"));
  CHECK_FALSE(sends(libpod(R"("pod":"pod","netns":{"nsmode":"bridge"})"), "netns"));
  CHECK(sends(libpod(R"("pod":"pod","netns":{"nsmode":"bridge"},"Networks":{"net":{}})"),
              R"("netns":{"nsmode":"bridge"})"));
  CHECK(sends(judged(Body::PodCreate, "{}"), R"("netns":{"nsmode":"private"})"));
  CHECK_FALSE(sends(judged(Body::PodCreate, R"({"no_infra":true})"), "netns"));
  CHECK_FALSE(sends(judged(Body::PodCreate, R"({"portmappings":[{"container_port":80}]})"), "netns"));
}

TEST_CASE("a host's name is one word, which no name server's file takes for more") {
  for (const auto* name : {"web", "web-1.example.org", "my_host", ""}) {
    CHECK(compat(R"("Hostname":")" + std::string(name) + "\"").starts_with("{"));
    CHECK(libpod(R"("hostname":")" + std::string(name) + "\"").starts_with("{"));
  }
  for (const auto* name :
       {R"(h\nx 10.89.2.4  q\ny 6.6.6.6  registry.npmjs.org)", "a b", "a,b", R"(a\tb)", R"(a\r)", "Ã¤"}) {
    CAPTURE(name);
    CHECK(compat(R"("Hostname":")" + std::string(name) + "\"") == "field.value");
    CHECK(libpod(R"("hostname":")" + std::string(name) + "\"") == "field.value");
  }
}

TEST_CASE("addresses, aliases and interfaces have their syntax") {
  const auto endpoint = [](const std::string& text) {
    return compat(R"("NetworkingConfig":{"EndpointsConfig":{"net":{)" + text + "}}}");
  };
  CHECK(endpoint(R"("IPAMConfig":{"IPv4Address":"10.1.2"})") == "field.value");
  CHECK(endpoint(R"("IPAddress":"x")") == "field.value");
  CHECK(endpoint(R"("Aliases":["a b"])") == "field.value");
  CHECK(endpoint(R"("Aliases":[""])") == "field.value");
  CHECK(endpoint(R"("MacAddress":"x")") == "field.value");
  CHECK(endpoint(R"("Links":["their"])") == "field.refused");
  CHECK(endpoint(R"("DriverOpts":{"a":"b"})") == "field.refused");
  CHECK(sends(endpoint(R"("IPAMConfig":{"IPv4Address":"10.89.0.7"},"MacAddress":"02:42:ac:11:00:02")"), "10.89.0.7"));
  CHECK(libpod(R"("Networks":{"net":{"interface_name":"eth0,x"}})") == "field.value");
  CHECK(libpod(R"("Networks":{"net":{"options":{"a":"b"}}})") == "field.refused");
  CHECK(libpod(R"("dns_server":["x"])") == "field.value");
  CHECK(libpod(R"("hostadd":["x:host-gateway"])") == "field.refused");
}

TEST_CASE("ports are published on the loopback address") {
  for (const char* address : {"", "0.0.0.0", "::", "127.0.0.1"}) {
    CAPTURE(std::string(address));
    const std::string text(address);
    CHECK(sends(published("80/tcp", R"("HostIp":")" + text + R"(","HostPort":"8080")"), R"("HostIp":"127.0.0.1")"));
    CHECK(sends(mapped(R"("container_port":80,"host_ip":")" + text + "\""), R"("host_ip":"127.0.0.1")"));
  }
  CHECK(sends(published("80", ""), R"("HostIp":"127.0.0.1")"));
  for (const char* address : {"192.168.1.1", "127.0.0.2", "::1", "localhost", "0.0.0.0,1.2.3.4", "0.0.0.0 "}) {
    CAPTURE(std::string(address));
    const std::string text(address);
    CHECK(published("80/tcp", R"("HostIp":")" + text + "\"") == "port.address");
    CHECK(mapped(R"("container_port":80,"host_ip":")" + text + "\"") == "port.address");
  }
}

TEST_CASE("host ports are random or above 1023") {
  for (const char* port : {"", "0", "1024", "65535"}) {
    CAPTURE(std::string(port));
    CHECK(sends(published("80/tcp", R"("HostPort":")" + std::string(port) + "\""), "127.0.0.1"));
  }
  for (const char* port :
       {"80", "1023", "65536", "-1", "+1024", "8000-8010", "0x5000", " 8080", "8080 ", "8e3", "1.5"}) {
    CAPTURE(std::string(port));
    CHECK(published("80/tcp", R"("HostPort":")" + std::string(port) + "\"") == "port.range");
  }
  for (const char* key : {"", "tcp", "80/", "80/sctp", "80/TCP", "0/tcp", "65536/tcp", "80-90/tcp", "80/tcp/udp"}) {
    CAPTURE(std::string(key));
    CHECK(published(key, "") == "port.range");
    CHECK(compat(R"("ExposedPorts":{")" + std::string(key) + R"(":{}})") == "port.range");
  }
  for (const char* mapping :
       {R"("container_port":80,"host_port":80)", R"("container_port":0)", R"("container_port":80,"host_port":1023)",
        R"("container_port":80,"host_port":65530,"range":10)", R"("container_port":65530,"host_port":2000,"range":10)",
        R"("container_port":1,"host_port":2000,"range":1001)", R"("container_port":80,"protocol":"tcp,udp")",
        R"("container_port":80,"protocol":"sctp")", R"("container_port":80,"host_port":18446744073709551615)",
        R"("container_port":80,"host_port":9223372036854775807)", R"("container_port":9223372036854775807)",
        R"("container_port":18446744073709551615)",
        R"("container_port":80,"host_port":2000,"range":18446744073709551615)"}) {
    CAPTURE(std::string(mapping));
    CHECK(mapped(mapping) == "port.range");
    CHECK(judged(Body::PodCreate, R"({"portmappings":[{)" + std::string(mapping) + "}]}") == "port.range");
  }
  CHECK(sends(mapped(R"("container_port":80,"host_port":65526,"range":10,"protocol":"udp")"), "65526"));
}

TEST_CASE("a new network is an isolated bridge with private addresses") {
  const auto net = [](const std::string& fields) {
    return judged(Body::NetworkCreateCompat, R"({"Name":"n",)" + fields + "}");
  };
  const auto libpod_net = [](const std::string& fields) {
    return judged(Body::NetworkCreateLibpod, R"({"name":"n",)" + fields + "}");
  };
  CHECK(sends(net(R"("Driver":"bridge")"), R"("Options":{"isolate":"true"})"));
  CHECK(sends(libpod_net(R"("driver":"bridge")"), R"("options":{"isolate":"true"})"));
  CHECK(
      sends(net(R"("Options":{"com.docker.network.driver.mtu":"1400"})"), R"("com.docker.network.driver.mtu":"1400")"));
  CHECK(sends(libpod_net(R"("created":"0001-01-01T00:00:00Z","id":"")"), R"("name":"n")"));
  constexpr auto compat_cases = std::to_array<Case>({
      {R"("Driver":"macvlan")", "field.value"},
      {R"("Options":{"parent":"eth0"})", "field.refused"},
      {R"("Options":{"com.docker.network.bridge.name":"podman0"})", "field.refused"},
      {R"("Options":{"isolate":"false"})", "field.refused"},
      {R"("Options":{"com.docker.network.driver.mtu":"9999999"})", "field.value"},
      {R"("IPAM":{"Driver":"dhcp"})", "field.value"},
      {R"("IPAM":{"Options":{"a":"b"}})", "field.refused"},
      {R"("IPAM":{"Config":[{"Subnet":"8.8.8.0/24"}]})", "network.subnet"},
      {R"("IPAM":{"Config":[{"Subnet":"10.0.2.0/24"}]})", "network.subnet"},
      {R"("IPAM":{"Config":[{"AuxiliaryAddresses":{"a":"10.1.1.1"}}]})", "field.refused"},
      {R"("ConfigOnly":true)", "field.refused"},
      {R"("ConfigFrom":{"Network":"x"})", "field.refused"},
  });
  for (const auto& each : compat_cases) {
    CAPTURE(std::string(each.what));
    CHECK(net(each.what) == each.refusal);
  }
  constexpr auto libpod_cases = std::to_array<Case>({
      {R"("driver":"ipvlan")", "field.value"},
      {R"("network_interface":"podman0")", "field.refused"},
      {R"("id":"x")", "field.refused"},
      {R"("created":"2020-01-01T00:00:00Z")", "field.refused"},
      {R"("options":{"vlan":"5"})", "field.refused"},
      {R"("options":{"mode":"unmanaged"})", "field.refused"},
      {R"("ipam_options":{"driver":"none"})", "field.refused"},
      {R"("routes":[{"destination":"0.0.0.0/0"}])", "field.refused"},
      {R"("network_dns_servers":["1.1.1.1"])", "field.refused"},
      {R"("subnets":[{"subnet":"0.0.0.0/0"}])", "network.subnet"},
      {R"("subnets":[{"subnet":"10.89.200.0/24","gateway":"x"}])", "field.value"},
  });
  for (const auto& each : libpod_cases) {
    CAPTURE(std::string(each.what));
    CHECK(libpod_net(each.what) == each.refusal);
  }
  for (const char* name : {"default", "bridge", "podman", "Podman", "host", "none", "container"})
    CHECK(judged(Body::NetworkCreateCompat, R"({"Name":")" + std::string(name) + "\"}") == "name.taken");
  CHECK(judged(Body::NetworkUpdate, R"({"adddnsservers":["1.1.1.1"]})") == "field.refused");
}

TEST_CASE("connect and disconnect name containers of the project") {
  for (const Body body : {Body::NetworkConnectCompat, Body::NetworkConnectLibpod, Body::NetworkDisconnect}) {
    CHECK(sends(judged(body, R"({"container":"web"})"), id('c')));
    CHECK(judged(body, R"({"Container":"their"})") == "ownership.hidden");
  }
}

TEST_CASE("a subnet lies within one range of policy, is narrow, and apart from the rootless network's own") {
  using Ranges = std::vector<std::string>;
  struct Row {
    Ranges ranges;
    std::vector<const char*> in, out;
  };
  const Row rows[] = {
      {{"10.89.0.0/16"},
       {"10.89.0.0/16", "10.89.0.0/17", "10.89.200.0/24", "10.89.255.252/30", "10.89.1.2/24"},
       {"10.88.0.0/15", "10.88.0.0/16", "10.90.0.0/16", "10.88.255.0/24", "10.90.0.0/24", "10.77.0.0/16", "10.0.0.0/8",
        "10.89.0.0/31", "10.89.0.1/32", "172.16.0.0/16", "192.168.0.0/16", "8.8.8.0/24", "0.0.0.0/0", "fd12::/48",
        "::ffff:10.89.0.0/112", "::/0"}},
      // Two that adjoin are not one: no subnet lies across their border.
      {{"10.89.32.0/20", "10.89.48.0/20"},
       {"10.89.32.0/20", "10.89.47.0/24", "10.89.48.0/24", "10.89.63.252/30"},
       {"10.89.31.0/24", "10.89.64.0/24", "10.89.32.0/19", "10.89.0.0/18", "10.89.0.0/16"}},
      {{"10.0.0.0/8", "fd00::/8"},
       {"10.0.3.0/24", "10.1.0.0/16", "fd12:3456:789a::/48", "fd00:1::/64", "fd00:1::/126"},
       {"10.0.0.0/15", "10.0.0.0/16", "10.0.2.0/24", "10.0.2.128/25", "10.2.0.0/15", "172.16.0.0/16", "fd00::/64",
        "fd00::/48", "fd12:3456::/47", "fd00:1::/127", "fe80::/64", "2001:db8::/48", "fd00::/8", "fc00::/48"}},
      {{"fd12:3456:789a::/48"},
       {"fd12:3456:789a::/48", "fd12:3456:789a:ff::/64"},
       {"fd12:3456:789b::/48", "fd12:3456:789b::/64", "fd12:3456:7800::/40", "10.89.200.0/24"}},
      {{}, {}, {"10.89.0.0/24", "10.0.3.0/24", "fd12:3456:789a::/48"}},
  };
  for (const Row& row : rows) {
    for (const char* text : row.in) CHECK_MESSAGE(is_project_subnet(parse_subnet(text).value(), row.ranges), text);
    for (const char* text : row.out) CHECK_MESSAGE(!is_project_subnet(parse_subnet(text).value(), row.ranges), text);
  }
  CHECK(NetworkPolicy{}.subnets == Ranges{"10.89.0.0/16"});
}

TEST_CASE("ranges of policy are private, whole, and told by their first address") {
  const auto is_range = [](const char* text) { return is_private_range(parse_subnet(text).value()); };
  for (const char* text : {"10.0.0.0/8", "10.89.0.0/16", "172.16.0.0/12", "172.31.255.0/24", "192.168.0.0/16",
                           "10.89.7.5/32", "fd00::/8", "fd12:3456:789a::/48"})
    CHECK_MESSAGE(is_range(text), text);
  for (const char* text : {"0.0.0.0/0", "10.0.0.0/7", "11.0.0.0/8", "172.16.0.0/11", "192.168.0.0/15", "127.0.0.0/8",
                           "169.254.0.0/16", "100.64.0.0/10", "10.89.0.1/16", "172.17.0.0/12", "::/0", "fc00::/7",
                           "fc00::/8", "fe80::/10", "2001:db8::/32", "::ffff:10.89.0.0/112", "fd12::1/48"})
    CHECK_MESSAGE(!is_range(text), text);
}

TEST_CASE("a refused subnet tells the ranges of policy, and every subnet of a network is judged") {
  World world = two_projects();
  const auto refused = [&](Body body, const std::string& subnets) {
    const auto outcome = judge(body, R"({"name":"n",)" + subnets + "}", world);
    return outcome.denied + " " + outcome.subject + ": " + outcome.way_out;
  };
  const auto libpod_net = [&](const std::string& subnet) {
    return refused(Body::NetworkCreateLibpod,
                   R"("subnets":[{"subnet":"10.89.200.0/24"},{"subnet":")" + subnet + "\"}]");
  };
  CHECK(libpod_net("10.89.201.0/24") == " : ");
  CHECK(libpod_net("10.77.0.0/16") ==
        "network.subnet 10.77.0.0/16: leave it to Podman, or take one within 10.89.0.0/16");
  const auto compat_net = [&](const std::string& fields) {
    return refused(Body::NetworkCreateCompat, R"("IPAM":{"Config":[{"Subnet":"10.89.200.0/24"},{)" + fields + "}]}");
  };
  CHECK(compat_net(R"("Subnet":"10.89.201.0/24","IPRange":"10.89.201.128/25")") == " : ");
  CHECK(compat_net(R"("Subnet":"172.16.0.0/24")").starts_with("network.subnet 172.16.0.0/24: "));
  CHECK(compat_net(R"("Subnet":"10.89.201.0/24","IPRange":"10.77.0.0/24")").starts_with("network.subnet 10.77.0.0/24"));

  world.project.policy.network.subnets = {"10.77.0.0/16", "fd12::/32"};
  CHECK(compat_net(R"("Subnet":"fd12:0:1::/64")") ==
        "network.subnet 10.89.200.0/24: leave it to Podman, or take one within 10.77.0.0/16 or fd12::/32");
  CHECK(refused(Body::NetworkCreateLibpod, R"("subnets":[{"subnet":"fd12:0:1::/64"}],"ipv6_enabled":true)") == " : ");
  world.project.policy.network.subnets.clear();
  CHECK(libpod_net("10.77.0.0/16") == "network.subnet 10.89.200.0/24: leave it to Podman");
  CHECK(refused(Body::NetworkCreateLibpod, R"("ipv6_enabled":true)") == " : ");
}

TEST_CASE("addresses are read as Go reads them") {
  for (const char* text : {"0.0.0.0", "255.255.255.255", "::", "::1", "1::", "1:2:3:4:5:6:7:8", "1::8",
                           "::ffff:1.2.3.4", "fe80::1", "FD00::A"})
    CHECK_MESSAGE(parse_address(text).has_value(), text);
  for (const char* text :
       {"",        "1.2.3",   "1.2.3.4.5", "1.2.3.256", "01.2.3.4",     "1.2.3.4 ",         "1..2.3",
        "1.2.3.",  ":",       ":::",       "1:",        ":1",           "1:2:3:4:5:6:7",    "1:2:3:4:5:6:7:8:9",
        "1::2::3", "12345::", "g::",       "1.2.3.4::", "fe80::1%eth0", "1:2:3:4:5:6:7::8", "-1.2.3.4"})
    CHECK_MESSAGE(!parse_address(text).has_value(), text);
  CHECK_FALSE(parse_subnet("10.0.0.0").has_value());
  CHECK_FALSE(parse_subnet("10.0.0.0/33").has_value());
  CHECK_FALSE(parse_subnet("10.0.0.0/").has_value());
  CHECK_FALSE(parse_subnet("10.0.0.0/+8").has_value());
}
