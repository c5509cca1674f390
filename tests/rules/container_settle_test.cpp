// What policy makes of a container, in both families.

#include <doctest/doctest.h>

#include "rules/container/description.hpp"
#include "rules/error_answer.hpp"
#include "rules/units.hpp"
#include "tests/rules/body_judge.hpp"

using namespace podfence::tests;

namespace {

struct Judge {
  World world = two_projects();
  Policy& policy = world.project.policy;

  Outcome outcome(Body body, const std::string& text) { return judge(body, text, world); }
  /// The refusal's id, or what is sent on.
  std::string operator()(Body body, const std::string& text) {
    const auto result = outcome(body, text);
    return result.denied.empty() ? result.text : result.denied;
  }
  std::string compat(const std::string& fields = "") {
    return (*this)(Body::ContainerCreateCompat,
                   R"({"Image":"localhost/shared")" + (fields.empty() ? "" : "," + fields) + "}");
  }
  std::string host(const std::string& fields) { return compat(R"("HostConfig":{)" + fields + "}"); }
  std::string libpod(const std::string& fields = "") {
    return (*this)(Body::ContainerCreateLibpod,
                   R"({"image":"localhost/shared")" + (fields.empty() ? "" : "," + fields) + "}");
  }
};

}  // namespace

TEST_CASE("what a client says nothing about is the default of policy, in both families") {
  Judge judge;
  judge.policy.limit(Amount::Memory).standard = 512 * mebi;
  judge.policy.limit(Amount::Cpus).standard = 1'500'000'000;
  judge.policy.limit(Amount::Processes).standard = 100;
  judge.policy.limit(Amount::SharedMemory).standard = mebi;
  judge.policy.limit(Amount::StopTimeout).standard = 5;
  judge.policy.limit(Amount::OpenFiles).standard = 1024;
  const auto compat = judge.compat();
  for (const char* part :
       {R"("Memory":536870912)", R"("NanoCpus":1500000000)", R"("PidsLimit":100)", R"("ShmSize":1048576)",
        R"("StopTimeout":5)", R"("Ulimits":[{"Name":"nofile","Soft":1024,"Hard":1024}])",
        R"("LogConfig":{"Config":{"max-size":"104857600"}})"})
    CHECK_MESSAGE(sends(compat, part), part, compat);
  const auto libpod = judge.libpod();
  for (const char* part :
       {R"("memory":{"limit":536870912})", R"("cpu":{"quota":150000,"period":100000})", R"("pids":{"limit":100})",
        R"("shm_size":1048576)", R"("stop_timeout":5)", R"("r_limits":[{"type":"nofile","soft":1024,"hard":1024}])",
        R"("log_configuration":{"size":104857600})"})
    CHECK_MESSAGE(sends(libpod, part), part, libpod);
}

TEST_CASE("of a quota and its period the kernel keeps the one that is not said, so an update says both") {
  Judge judge;
  judge.policy.limit(Amount::Cpus).most = 1'000'000'000;
  const std::pair<Body, std::pair<const char*, const char*>> periods[] = {
      {Body::ContainerUpdateCompat, {R"({"CpuPeriod":1000})", "CpuPeriod"}},
      {Body::ContainerUpdateLibpod, {R"({"cpu":{"period":1000}})", "cpu.period"}},
      {Body::ContainerUpdateLibpod, {R"({"Resources":{"cpu":{"period":1000}}})", "Resources.cpu.period"}},
      {Body::ContainerCreateCompat,
       {R"({"Image":"localhost/shared","HostConfig":{"CpuPeriod":1000}})", "HostConfig.CpuPeriod"}},
      {Body::ContainerCreateLibpod, {R"({"image":"localhost/shared","cpu_period":1000})", "cpu_period"}},
  };
  for (const auto& [body, row] : periods) {
    CAPTURE(row.first);
    const auto outcome = judge.outcome(body, row.first);
    CHECK(outcome.denied == "field.value");
    CHECK(outcome.subject == row.second);
    CHECK(outcome.way_out == "say the quota that goes with it");
  }
  CHECK(judge(Body::ContainerUpdateCompat, R"({"CpuQuota":50000})") == R"({"CpuQuota":50000,"CpuPeriod":100000})");
  CHECK(judge(Body::ContainerUpdateLibpod, R"({"cpu":{"quota":50000}})") ==
        R"({"cpu":{"quota":50000,"period":100000}})");
  CHECK(judge(Body::ContainerUpdateCompat, R"({"CpuQuota":5000,"CpuPeriod":10000})") ==
        R"({"CpuQuota":5000,"CpuPeriod":10000})");
  CHECK(judge(Body::ContainerUpdateCompat, R"({"CpuQuota":50000,"CpuPeriod":1000})") == "limit.policy");
}

TEST_CASE("beside somebody's UTS namespace there is no host name, which Podman would look up among everybody's pods") {
  Judge judge;
  judge.world.add(Kind::Pod, "shop", id('6'), "p1", R"({"SharedNamespaces":["ipc","net","uts"]})");
  const auto joined = [&](const std::string& name, const std::string& how) {
    return judge.libpod(R"("hostname":")" + name + "\"," + how);
  };
  for (const char* name : {"their", "theirpod", "ab3", "x"}) {
    CAPTURE(name);
    CHECK(joined(name, R"("utsns":{"nsmode":"container","value":"web"})") == "field.value");
    CHECK(joined(name, R"("pod":"shop")") == "field.value");
    CHECK(joined(name, R"("pod":"shop","utsns":{"nsmode":"pod"})") == "field.value");
    CHECK(judge.compat(R"("Hostname":")" + std::string(name) + R"(","HostConfig":{"UTSMode":"container:web"})") ==
          "field.value");
    CHECK(judge(Body::PodCreate, R"({"hostname":")" + std::string(name) +
                                     R"(","utsns":{"nsmode":"container","value":"web"}})") == "field.value");
    CHECK(sends(joined(name, R"("utsns":{"nsmode":"private"})"), R"("hostname":")" + std::string(name) + "\""));
    CHECK(sends(joined(name, R"("pod":"shop","utsns":{"nsmode":"private"})"), R"("hostname":)"));
    CHECK(sends(judge.compat(R"("Hostname":")" + std::string(name) + "\""), R"("Hostname":)"));
  }
  // Said again: Podman itself would leave it out.
  CHECK_FALSE(sends(joined("shop", R"("pod":"shop")"), "hostname"));
  CHECK(joined("shop", R"("pod":"shop")").starts_with("{"));
}

TEST_CASE("what a client says is not overwritten by a default") {
  Judge judge;
  judge.policy.limit(Amount::Memory).standard = 512 * mebi;
  judge.policy.limit(Amount::Cpus).standard = 1'000'000'000;
  judge.policy.limit(Amount::OpenFiles).standard = 1024;
  judge.policy.limit(Amount::StopTimeout).standard = 5;
  const auto compat =
      judge.compat(R"("StopTimeout":0,"HostConfig":{"Memory":1048576,"CpuQuota":50000,"CpuPeriod":100000,)"
                   R"("Ulimits":[{"Name":"nofile","Hard":9,"Soft":8}],"LogConfig":{"Config":{"max-size":"1m"}}})");
  CHECK(sends(compat, R"("Memory":1048576)"));
  CHECK_FALSE(sends(compat, "NanoCpus"));
  CHECK(sends(compat, R"("StopTimeout":0)"));
  CHECK(sends(compat, R"("Ulimits":[{"Name":"nofile","Hard":9,"Soft":8}])"));
  CHECK(sends(compat, R"("max-size":"1m")"));
  const auto libpod = judge.libpod(R"("resource_limits":{"memory":{"limit":1048576},"cpu":{"quota":50000}},)"
                                   R"("r_limits":[{"type":"RLIMIT_NOFILE","hard":9,"soft":8}])");
  CHECK(sends(libpod, R"("memory":{"limit":1048576})"));
  CHECK(sends(libpod, R"("cpu":{"quota":50000})"));
  CHECK(sends(libpod, R"("r_limits":[{"type":"RLIMIT_NOFILE","hard":9,"soft":8}])"));
  // A reservation is no limit.
  CHECK(sends(judge.host(R"("MemoryReservation":1048576)"), R"("Memory":536870912)"));
}

TEST_CASE("the bounds of policy hold for creates, pods and updates, and the refusal names them") {
  Judge judge;
  judge.policy.limit(Amount::Memory).most = 512 * mebi;
  judge.policy.limit(Amount::Cpus).most = 2'000'000'000;
  judge.policy.limit(Amount::Processes).most = 100;
  judge.policy.limit(Amount::HealthInterval).least = 5'000'000'000;
  judge.policy.limit(Amount::Restarts).most = 3;
  judge.policy.limit(Amount::Tmpfs).most = mebi;
  judge.policy.limit(Amount::OpenFiles).most = 1024;
  const std::pair<Body, const char*> beyond[] = {
      {Body::ContainerCreateCompat, R"({"Image":"localhost/shared","HostConfig":{"Memory":536870913}})"},
      {Body::ContainerCreateCompat, R"({"Image":"localhost/shared","HostConfig":{"MemorySwap":1073741825}})"},
      {Body::ContainerCreateCompat, R"({"Image":"localhost/shared","HostConfig":{"NanoCpus":2000000001}})"},
      {Body::ContainerCreateCompat, R"({"Image":"localhost/shared","HostConfig":{"CpuQuota":250000}})"},
      {Body::ContainerCreateCompat,
       R"({"Image":"localhost/shared","HostConfig":{"CpuQuota":25000,"CpuPeriod":10000}})"},
      {Body::ContainerCreateCompat,
       R"({"Image":"localhost/shared","HostConfig":{"RestartPolicy":{"Name":"on-failure","MaximumRetryCount":4}}})"},
      {Body::ContainerCreateCompat, R"({"Image":"localhost/shared","HostConfig":{"Tmpfs":{"/x":"size=2m"}}})"},
      {Body::ContainerCreateCompat,
       R"({"Image":"localhost/shared","HostConfig":{"Mounts":[{"Type":"tmpfs","Target":"/x","TmpfsOptions":{"SizeBytes":1048577}}]}})"},
      {Body::ContainerCreateCompat,
       R"({"Image":"localhost/shared","HostConfig":{"Ulimits":[{"Name":"nofile","Hard":1025,"Soft":1}]}})"},
      {Body::ContainerCreateLibpod, R"({"image":"localhost/shared","resource_limits":{"memory":{"limit":536870913}}})"},
      {Body::ContainerCreateLibpod, R"({"image":"localhost/shared","resource_limits":{"cpu":{"quota":250000}}})"},
      {Body::ContainerCreateLibpod, R"({"image":"localhost/shared","cpu_quota":250000})"},
      {Body::ContainerCreateLibpod, R"({"image":"localhost/shared","resource_limits":{"pids":{"limit":101}}})"},
      {Body::ContainerCreateLibpod, R"({"image":"localhost/shared","restart_tries":4})"},
      {Body::ContainerCreateLibpod,
       R"({"image":"localhost/shared","mounts":[{"type":"tmpfs","destination":"/x","options":["size=2m"]}]})"},
      {Body::PodCreate, R"({"resource_limits":{"memory":{"limit":536870913}}})"},
      {Body::ContainerUpdateCompat, R"({"Memory":536870913})"},
      {Body::ContainerUpdateCompat, R"({"PidsLimit":101})"},
      {Body::ContainerUpdateLibpod, R"({"memory":{"limit":536870913}})"},
      {Body::ContainerUpdateLibpod, R"({"Resources":{"cpu":{"quota":250000}}})"},
      {Body::ContainerUpdateLibpod, R"({"health_interval":"4s"})"},
  };
  for (const auto& [body, text] : beyond) {
    CAPTURE(std::string(text));
    CHECK(judge(body, text) == "limit.policy");
  }
  CHECK(judge.outcome(Body::ContainerUpdateCompat, R"({"Memory":1073741824})").subject == "Memory is 1g, at most 512m");
  for (const char* text : {R"({"Memory":536870912,"MemorySwap":1073741824})", R"({"NanoCpus":2000000000})"})
    CHECK(judge(Body::ContainerUpdateCompat, text) == text);
}

TEST_CASE("what clients send by default is brought to the limit of policy") {
  Judge judge;
  judge.policy.limit(Amount::StopTimeout).most = 5;
  judge.policy.limit(Amount::SharedMemory).most = mebi;
  judge.policy.limit(Amount::HealthInterval).least = 60'000'000'000;
  const auto libpod = judge.libpod(R"("stop_timeout":10,"shm_size":67108864,"healthconfig":{"Test":["CMD","true"],)"
                                   R"("Interval":30000000000})");
  CHECK(sends(libpod, R"("stop_timeout":5)"));
  CHECK(sends(libpod, R"("shm_size":1048576)"));
  CHECK(sends(libpod, R"("Interval":60000000000)"));
  CHECK(sends(judge.libpod(R"("healthconfig":{"Test":["CMD","true"],"StartInterval":1000000000},)"
                           R"("startupHealthConfig":{"Test":["CMD","true"],"Interval":1000000000})"),
              R"("StartInterval":60000000000)"));
  CHECK(sends(judge.libpod(R"("healthconfig":{"Test":["CMD","true"]},)"
                           R"("startupHealthConfig":{"Test":["CMD","true"],"Interval":1000000000})"),
              R"("startupHealthConfig":{"Test":["CMD","true"],"Interval":60000000000})"));
  CHECK(sends(judge.compat(R"("StopTimeout":10)"), R"("StopTimeout":5)"));
  CHECK(sends(judge.host(R"("ShmSize":67108864)"), R"("ShmSize":1048576)"));
  CHECK(sends(judge.compat(R"("StopTimeout":3)"), R"("StopTimeout":3)"));
}

TEST_CASE("how often a container is started again is bounded in the query of an update as well") {
  World world = two_projects();
  const auto update = [&](const std::string& retries) {
    const auto decision = world.decide(
        Method::Post, "/v5.0.0/libpod/containers/web/update?restartPolicy=on-failure&restartRetries=" + retries, "{}");
    const auto* deny = std::get_if<Deny>(&decision);
    return deny ? std::string(deny->rule->id) + " " + deny->subject : "";
  };
  CHECK(update("1000") == "");
  CHECK(update("1001") == "limit.bound restartRetries is 1001, at most 1000");
  CHECK(update("x") == "query.value restartRetries");
  world.project.policy.limit(Amount::Restarts).most = 3;
  CHECK(update("3") == "");
  CHECK(update("4") == "limit.policy restartRetries is 4, at most 3");
}

TEST_CASE("a built-in bound says both numbers and what to say instead") {
  World world = two_projects();
  const auto sentence = [&](const std::string& text) {
    const auto decision = world.decide(Method::Post, "/v1.41/containers/create", text);
    const auto* deny = std::get_if<Deny>(&decision);
    return deny ? sentence_of(*deny) : "";
  };
  CHECK(sends(sentence(R"({"Image":"localhost/shared","HostConfig":{"ShmSize":2147483648}})"),
              "HostConfig.ShmSize is 2147483648, at most 1073741824. Say 1073741824."));
  CHECK(sends(sentence(R"({"Image":"localhost/shared","Healthcheck":{"Test":["CMD","true"],"Interval":100000000}})"),
              "Healthcheck.Interval is 100000000, at least 1000000000. Say 1000000000."));
  CHECK(sends(sentence(R"({"Image":"localhost/shared","HostConfig":{"Tmpfs":{"/x":"size=9g"}}})"),
              "size of a tmpfs is 9g, at most 8g. Say 8g."));
  CHECK(sends(sentence(R"({"Image":"localhost/shared","HostConfig":{"KernelMemory":1}})"),
              "HostConfig.KernelMemory. Leave it out."));
}

TEST_CASE("a tmpfs without a size gets the default one") {
  Judge judge;
  judge.policy.limit(Amount::Tmpfs).standard = mebi;
  CHECK(sends(judge.host(R"("Tmpfs":{"/x":""})"), "size=1048576"));
  CHECK(sends(judge.host(R"("Mounts":[{"Type":"tmpfs","Target":"/x"}])"), R"("SizeBytes":1048576)"));
  CHECK(sends(judge.libpod(R"("mounts":[{"type":"tmpfs","destination":"/x"}])"), "size=1048576"));
}

TEST_CASE("health checks and retries get their defaults only where there are any") {
  Judge judge;
  judge.policy.limit(Amount::HealthInterval).standard = 60'000'000'000;
  judge.policy.limit(Amount::Restarts).standard = 3;
  CHECK_FALSE(sends(judge.compat(), "Interval"));
  CHECK_FALSE(sends(judge.compat(), "MaximumRetryCount"));
  CHECK(sends(judge.compat(R"("Healthcheck":{"Test":["CMD","true"]})"), R"("Interval":60000000000)"));
  CHECK(sends(judge.host(R"("RestartPolicy":{"Name":"on-failure"})"), R"("MaximumRetryCount":3)"));
  CHECK_FALSE(sends(judge.host(R"("RestartPolicy":{"Name":"always"})"), "MaximumRetryCount"));
  CHECK(sends(judge.libpod(R"("healthconfig":{"Test":["CMD","true"]})"), R"("Interval":60000000000)"));
  CHECK(sends(judge.libpod(R"("restart_policy":"on-failure")"), R"("restart_tries":3)"));
}

TEST_CASE("new privileges are forbidden unless policy opens them") {
  Judge judge;
  CHECK(sends(judge.compat(), R"("SecurityOpt":["no-new-privileges"])"));
  CHECK(sends(judge.libpod(), R"("no_new_privileges":true)"));
  CHECK(sends(judge.libpod(R"("no_new_privileges":false)"), R"("no_new_privileges":true)"));
  judge.policy.privileges.new_privileges = true;
  CHECK_FALSE(sends(judge.compat(), "SecurityOpt"));
  CHECK_FALSE(sends(judge.libpod(), "no_new_privileges"));
  CHECK(sends(judge.host(R"("SecurityOpt":["no-new-privileges:true"])"), R"(["no-new-privileges"])"));
}

TEST_CASE("capabilities are those of policy") {
  Judge judge;
  CHECK_FALSE(sends(judge.compat(), "CapDrop"));
  CHECK(judge.host(R"("CapAdd":["SYS_PTRACE"])") == "privilege.capability");
  judge.policy.privileges.capabilities = {"chown", "setuid", "sys_ptrace"};
  CHECK(sends(judge.compat(), R"("CapDrop":["dac_override","fowner","fsetid","kill","net_bind_service","setfcap",)"
                              R"("setgid","setpcap","sys_chroot"])"));
  CHECK(sends(judge.libpod(), R"("cap_drop":["dac_override")"));
  CHECK(sends(judge.host(R"("CapDrop":["ALL"],"CapAdd":["CHOWN"])"), R"("CapDrop":["ALL"])"));
  CHECK(sends(judge.host(R"("CapDrop":["CAP_FOWNER"])"), R"("CapDrop":["CAP_FOWNER","dac_override","fsetid")"));
  CHECK(sends(judge.host(R"("CapAdd":["SYS_PTRACE"])"), R"("CapAdd":["SYS_PTRACE"])"));
  CHECK(judge.host(R"("CapAdd":["KILL"])") == "privilege.capability");
  CHECK(judge.libpod(R"("cap_add":["CAP_KILL"])") == "privilege.capability");
  CHECK(judge.host(R"("CapAdd":["ALL"])") == "privilege.capability");
}

TEST_CASE("a read-only root and a user namespace are forced by policy") {
  Judge judge;
  judge.policy.privileges.read_only_root = true;
  judge.policy.privileges.user_namespace = "keep-id";
  CHECK(sends(judge.host(R"("ReadonlyRootfs":false,"UsernsMode":"host")"), R"("ReadonlyRootfs":true)"));
  CHECK(sends(judge.compat(), R"("UsernsMode":"keep-id")"));
  const auto libpod = judge.libpod(R"("read_only_filesystem":false)");
  CHECK(sends(libpod, R"("read_only_filesystem":true)"));
  CHECK(sends(libpod, R"("userns":{"nsmode":"keep-id"})"));
  CHECK_FALSE(sends(judge.libpod(R"("pod":"pod")"), "keep-id"));  // a member has the pod's
  CHECK(sends(judge(Body::PodCreate, "{}"), R"("userns":{"nsmode":"keep-id"})"));
}

TEST_CASE("policy's environment is set where the client does not set it") {
  Judge judge;
  judge.policy.environment = {{"HTTP_PROXY", "http://gate:3128"}, {"NO_PROXY", "localhost"}};
  CHECK(sends(judge.compat(), R"("Env":["HTTP_PROXY=http://gate:3128","NO_PROXY=localhost"])"));
  CHECK(sends(judge.compat(R"("Env":["HTTP_PROXY="])"), R"("Env":["HTTP_PROXY=","NO_PROXY=localhost"])"));
  CHECK(sends(judge.libpod(), R"("env":{"HTTP_PROXY":"http://gate:3128","NO_PROXY":"localhost"})"));
  CHECK(sends(judge.libpod(R"("env":{"NO_PROXY":"x"})"), R"("env":{"NO_PROXY":"x","HTTP_PROXY":"http://gate:3128"})"));
}

TEST_CASE("containers that name no network are put on the project's own, made on demand") {
  Judge judge;
  judge.policy.network.project_network = true;
  for (const char* mode : {"", "default", "bridge", "podman"}) {
    const auto made = judge.outcome(Body::ContainerCreateCompat,
                                    R"({"Image":"localhost/shared","HostConfig":{"NetworkMode":")" + std::string(mode) +
                                        R"("},"NetworkingConfig":{"EndpointsConfig":{"default":{}}}})");
    CAPTURE(std::string(mode));
    CHECK(sends(made.text, R"("NetworkMode":"podfence.p1")"));
    CHECK(made.networks == std::vector<std::string>{"podfence.p1"});
  }
  const auto libpod = judge.libpod(R"("netns":{"nsmode":"bridge"})");
  CHECK(sends(libpod, R"("netns":{"nsmode":"bridge"})"));
  CHECK(sends(libpod, R"("Networks":{"podfence.p1":{}})"));
  CHECK(sends(judge(Body::PodCreate, "{}"), R"("Networks":{"podfence.p1":{}})"));
  CHECK(sends(judge.host(R"("NetworkMode":"private")"), R"("NetworkMode":"private")"));
  CHECK(sends(judge.host(R"("NetworkMode":"none")"), R"("NetworkMode":"none")"));
  CHECK(sends(judge.host(R"("NetworkMode":"net")"), id('b')));
  judge.world.add(Kind::Network, "podfence.p1", id('7'), "p1");
  CHECK(sends(judge.compat(), R"("NetworkMode":")" + id('7')));
  CHECK(judge.outcome(Body::ContainerCreateCompat, R"({"Image":"localhost/shared"})").networks.empty());
}

TEST_CASE("the project's network that somebody else made is not used") {
  Judge judge;
  judge.policy.network.project_network = true;
  judge.world.add(Kind::Network, "podfence.p1", id('7'), "p10");
  CHECK(judge.compat() == "name.taken");
  CHECK(judge(Body::NetworkCreateLibpod, R"({"name":"podfence.p10"})") == "name.reserved");
  CHECK(judge(Body::NetworkCreateCompat, R"({"Name":"podfence.p1"})") == "name.reserved");
  CHECK(judge(Body::VolumeCreateCompat, R"({"Name":"podfence.x"})") == "name.reserved");
  CHECK(judge.host(R"("Binds":["podfence.x:/x"])") == "name.reserved");
}

TEST_CASE("without egress every network is internal") {
  Judge judge;
  judge.policy.network.egress.open = false;
  judge.world.add(Kind::Network, "inside", id('6'), "p1", R"({"internal":true})");
  CHECK(sends(judge.compat(), R"("NetworkMode":"podfence.p1")"));
  CHECK(sends(judge.host(R"("NetworkMode":"private")"), R"("NetworkMode":"podfence.p1")"));
  CHECK(sends(judge.libpod(R"("netns":{"nsmode":"slirp4netns"})"), "podfence.p1"));
  CHECK(sends(judge(Body::PodCreate, R"({"portmappings":[{"container_port":80}]})"), "podfence.p1"));
  CHECK(sends(judge.host(R"("NetworkMode":"inside")"), id('6')));
  CHECK(sends(judge.host(R"("NetworkMode":"none")"), R"("NetworkMode":"none")"));
  CHECK(judge.host(R"("NetworkMode":"net")") == "network.egress");
  CHECK(judge.libpod(R"("Networks":{"net":{}})") == "network.egress");
  CHECK(judge.libpod(R"("cni_networks":["net"])") == "network.egress");
  CHECK(sends(judge(Body::NetworkCreateCompat, R"({"Name":"n","Internal":false})"), R"("Internal":true)"));
  CHECK(sends(judge(Body::NetworkCreateLibpod, R"({"name":"n"})"), R"("internal":true)"));
  judge.world.add(Kind::Network, "podfence.p1", id('7'), "p1");  // from a time when the way was open
  CHECK(judge.compat() == "network.egress");
}

TEST_CASE("without egress no container is connected to a network that leads out") {
  World world = two_projects();
  world.add(Kind::Network, "inside", id('6'), "p1", R"({"internal":true})");
  const auto connect = [&](const std::string& target, const char* content) {
    const auto decision = world.decide(Method::Post, target, content);
    const auto* deny = std::get_if<Deny>(&decision);
    return deny ? std::string(deny->rule->id) : std::holds_alternative<Forward>(decision) ? "sent" : "";
  };
  const auto both = [&](const std::string& network) {
    return connect("/v1.41/networks/" + network + "/connect", R"({"Container":"web"})") + " " +
           connect("/v4.0.0/libpod/networks/" + network + "/connect", R"({"container":"web"})");
  };
  CHECK(both("net") == "sent sent");
  world.project.policy.network.egress.open = false;
  CHECK(both("net") == "network.egress network.egress");
  CHECK(both(id('b')) == "network.egress network.egress");
  CHECK(both("inside") == "sent sent");
  CHECK(connect("/v1.41/networks/net/disconnect", R"({"Container":"web"})") == "sent");
}

TEST_CASE("without egress a member of a pod has the pod's network") {
  Judge judge;
  judge.policy.network.egress.open = false;
  judge.world.add(Kind::Pod, "shares", id('6'), "p1", R"({"SharedNamespaces":["ipc","net"]})");
  judge.world.add(Kind::Pod, "apart", id('5'), "p1", R"({"SharedNamespaces":["ipc"]})");
  CHECK(sends(judge.libpod(R"("pod":"shares")"), id('6')));
  CHECK(judge.libpod(R"("pod":"apart")") == "network.egress");
  CHECK(judge.libpod(R"("pod":"apart","netns":{"nsmode":"bridge"},"Networks":{"net":{}})") == "network.egress");
  judge.policy.network.egress.open = true;
  CHECK(sends(judge.libpod(R"("pod":"apart")"), id('5')));
}

TEST_CASE("every container with a network is on the gate's") {
  Judge judge;
  judge.policy.network.egress = {false, "gate"};
  CHECK(judge.compat() == "network.gate");
  judge.world.add(Kind::Network, "gate", id('8'), "", R"({"internal":true})");
  judge.world.add(Kind::Network, "inside", id('6'), "p1", R"({"internal":true})");
  CHECK(sends(judge.compat(), R"("NetworkMode":")" + id('8')));
  const auto both = judge.host(R"("NetworkMode":"inside")");
  CHECK(sends(both, R"("NetworkMode":")" + id('6')));
  CHECK(sends(both, R"("EndpointsConfig":{")" + id('6') + R"(":{},")" + id('8') + R"(":{}})"));
  const auto libpod = judge.libpod(R"("Networks":{"inside":{"aliases":["a"]}})");
  CHECK(sends(libpod, R"("Networks":{")" + id('6') + R"(":{"aliases":["a"]},")" + id('8') + R"(":{}})"));
  CHECK(sends(judge.libpod(R"("cni_networks":["inside"])"),
              R"("cni_networks":[")" + id('6') + R"(",")" + id('8') + R"("])"));
  CHECK(sends(judge.host(R"("NetworkMode":"gate")"), id('8')));
  CHECK(sends(judge.host(R"("NetworkMode":"none")"), R"("NetworkMode":"none")"));
  judge.world.add(Kind::Network, "gate", id('8'), "", R"({"internal":false})");
  CHECK(judge.compat() == "network.gate");
}

TEST_CASE("all exposed ports are published one by one, on the loopback address") {
  Judge judge;
  judge.world.image(id('e'), {"localhost/shared:latest"}, R"({"Config":{"ExposedPorts":{"80/tcp":{},"53/udp":{}}}})");
  const auto compat = judge.compat(R"("ExposedPorts":{"81/tcp":{}},"HostConfig":{"PublishAllPorts":true,)"
                                   R"("PortBindings":{"80/tcp":[{"HostPort":"8080"}]}})");
  CHECK(sends(compat, R"("PortBindings":{"80/tcp":[{"HostIp":"127.0.0.1","HostPort":"8080"}],)"
                      R"("81/tcp":[{"HostIp":"127.0.0.1"}],)"
                      R"("53/udp":[{"HostIp":"127.0.0.1"}]})"));
  CHECK_FALSE(sends(compat, "PublishAllPorts"));
  const auto libpod = judge.libpod(R"("publish_image_ports":true,"expose":{"81":"tcp"})");
  CHECK(sends(libpod, R"("portmappings":[{"host_ip":"127.0.0.1","container_port":81,"protocol":"tcp"},)"
                      R"({"host_ip":"127.0.0.1","container_port":80,"protocol":"tcp"},)"
                      R"({"host_ip":"127.0.0.1","container_port":53,"protocol":"udp"}])"));
  CHECK_FALSE(sends(libpod, "publish_image_ports"));
}

TEST_CASE("where no port is exposed nothing is said of ports") {
  Judge judge;
  CHECK_FALSE(sends(judge.host(R"("PublishAllPorts":true)"), "Port"));
  CHECK_FALSE(sends(judge.libpod(R"("publish_image_ports":true)"), "port"));
}

TEST_CASE("a project with a range of its own gets free ports of it") {
  Judge judge;
  judge.policy.ports = {20000, 20003, true};
  judge.world.add(Kind::Container, "busy", id('6'), "p1", R"({"Ports":[{"host_port":20000,"range":1}]})");
  CHECK(sends(judge.host(R"("PortBindings":{"80/tcp":[{"HostPort":""}],"81/tcp":[{"HostPort":"20001"}]})"),
              R"("80/tcp":[{"HostIp":"127.0.0.1","HostPort":"20002"}])"));
  CHECK(sends(judge.libpod(R"("portmappings":[{"container_port":80,"range":2}])"),
              R"("container_port":80,"host_port":20001,"range":2)"));
  CHECK(sends(judge(Body::PodCreate, R"({"portmappings":[{"container_port":80}]})"), R"("host_port":20001)"));
  CHECK(judge.libpod(R"("portmappings":[{"container_port":80,"range":4}])") == "port.none-free");
  for (const char* port : {"19999", "20004", "8080"})
    CHECK(judge.host(R"("PortBindings":{"80/tcp":[{"HostPort":")" + std::string(port) + R"("}]})") == "port.range");
  CHECK(judge.libpod(R"("portmappings":[{"container_port":80,"host_port":20003,"range":2}])") == "port.range");
}

TEST_CASE("ports of one container are bounded in number, and many are given out quickly") {
  Judge judge;
  judge.policy.ports = {10000, 60000, true};
  const auto mappings = [](int count, const std::string& more) {
    std::string list;
    for (int i = 0; i < count; ++i)
      list += (i == 0 ? "" : ",") + std::string(R"({"container_port":)") + std::to_string(i + 1) + more + "}";
    return R"("portmappings":[)" + list + "]";
  };
  CHECK(judge.libpod(mappings(4096, "")).starts_with("{"));
  CHECK(judge.libpod(mappings(4097, "")) == "port.many");
  CHECK(judge.libpod(mappings(100, R"(,"range":1000)")) == "port.many");
  CHECK(judge.libpod(mappings(50, R"(,"range":1000)")).starts_with("{"));
  judge.policy.ports = {1024, 65535, false};
  CHECK(judge.libpod(mappings(4097, "")) == "port.many");
  // Neighbours do not fit where single ports still do.
  judge.policy.ports = {20000, 20004, true};
  judge.world.add(Kind::Container, "busy", id('6'), "p1", R"({"Ports":[{"host_port":20001,"range":1}]})");
  CHECK(sends(
      judge.libpod(R"("portmappings":[{"container_port":80,"range":2},{"container_port":90},{"container_port":91}])"),
      R"("host_port":20004)"));
}

TEST_CASE("ports are written by container port, in the order in which those are first named") {
  const auto written = [](std::vector<PublishedPort> ports) {
    Changes changes;
    changes.ports = std::move(ports);
    json::Value content;
    content.set("HostConfig", json::Value::object());
    podfence::rules::apply(changes, Body::ContainerCreateCompat, content);
    return *content.find("HostConfig")->find("PortBindings");
  };
  CHECK(json::write(written({{81, 8081}, {80, 8080}, {81, 8082}, {81, 0, 1, "udp"}})) ==
        R"({"81/tcp":[{"HostIp":"127.0.0.1","HostPort":"8081"},{"HostIp":"127.0.0.1","HostPort":"8082"}],)"
        R"("80/tcp":[{"HostIp":"127.0.0.1","HostPort":"8080"}],"81/udp":[{"HostIp":"127.0.0.1"}]})");
  std::vector<PublishedPort> many;
  for (int i = 0; i < 200'000; ++i) many.push_back({i, 0});
  // Quadratic work would take minutes here.
  CHECK(written(std::move(many)).members()->size() == 200'000);
}
