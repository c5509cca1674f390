// Limits, names and labels.

#include <doctest/doctest.h>

#include <array>

#include "tests/rules/body_judge.hpp"

using namespace podfence::tests;

namespace {

struct Case {
  const char* fields;
  const char* refusal;
};

std::string new_name(Body body, const char* field, const std::string& name) {
  return judged(body, "{\"" + std::string(field) + "\":\"" + name + "\"}");
}

}  // namespace

TEST_CASE("limits beyond the bounds are refused in compat create and update") {
  constexpr auto cases = std::to_array<Case>({
      {R"("Memory":68719476737)", "limit.bound"},
      {R"("Memory":-1)", "limit.bound"},
      {R"("MemorySwap":-1)", "limit.bound"},
      {R"("MemoryReservation":-1)", "limit.bound"},
      {R"("MemorySwappiness":101)", "limit.bound"},
      {R"("MemorySwappiness":-2)", "limit.bound"},
      {R"("PidsLimit":-1)", "limit.bound"},
      {R"("PidsLimit":16385)", "limit.bound"},
      {R"("NanoCpus":-1)", "limit.bound"},
      {R"("CpuQuota":-1)", "limit.bound"},
      {R"("CpuPeriod":1)", "limit.bound"},
      {R"("CpuShares":1000000)", "limit.bound"},
      {R"("CpuRealtimeRuntime":1)", "limit.bound"},
      {R"("CpusetCpus":"0;1")", "field.value"},
      {R"("CgroupParent":"/../x")", "limit.bound"},
      {R"("KernelMemory":1)", "limit.bound"},
      {R"("OomKillDisable":true)", "limit.bound"},
      {R"("BlkioWeight":5)", "limit.bound"},
      {R"("Ulimits":[{"Name":"nofile","Hard":1048577,"Soft":1}])", "limit.bound"},
      {R"("Ulimits":[{"Name":"nofile","Hard":-1,"Soft":-1}])", "limit.bound"},
      {R"("Ulimits":[{"Name":"nofile","Hard":1,"Soft":2}])", "field.value"},
      {R"("Ulimits":[{"Name":"rtprio","Hard":1,"Soft":1}])", "limit.bound"},
      {R"("Ulimits":[{"Name":"x=1:nofile","Hard":1,"Soft":1}])", "field.value"},
      {R"("Ulimits":[{"Hard":1,"Soft":1}])", "field.value"},
      {R"("RestartPolicy":{"Name":"on-failure:1000000"})", "field.value"},
      {R"("RestartPolicy":{"Name":"on-failure","MaximumRetryCount":1000000})", "limit.bound"},
      {R"("RestartPolicy":{"MaximumRetryCount":-1})", "limit.bound"},
  });
  for (const auto& each : cases) {
    CAPTURE(std::string(each.fields));
    CHECK(host_config(each.fields) == each.refusal);
    CHECK(judged(Body::ContainerUpdateCompat, "{" + std::string(each.fields) + "}") == each.refusal);
  }
  CHECK(host_config(R"("ShmSize":107374182400)") == "limit.bound");
  CHECK(host_config(R"("ShmSize":-1)") == "limit.bound");
  CHECK(host_config(R"("OomScoreAdj":-1)") == "limit.bound");
  CHECK(compat(R"("StopTimeout":3601)") == "limit.bound");
  CHECK(compat(R"("StopTimeout":-1)") == "limit.bound");
  CHECK(compat(R"("Healthcheck":{"Interval":1})") == "limit.bound");
  CHECK(compat(R"("Healthcheck":{"Timeout":-1})") == "limit.bound");
  CHECK(sends(compat(R"("Healthcheck":{"Test":["NONE"],"Interval":0})"), R"("Healthcheck":{"Test":["NONE"]})"));
}

TEST_CASE("limits beyond the bounds are refused in libpod create, pod create and update") {
  constexpr auto resources = std::to_array<Case>({
      {R"("memory":{"limit":-1})", "limit.bound"},
      {R"("memory":{"swap":-1})", "limit.bound"},
      {R"("memory":{"kernel":1})", "limit.bound"},
      {R"("memory":{"disableOOMKiller":true})", "limit.bound"},
      {R"("cpu":{"quota":-1})", "limit.bound"},
      {R"("cpu":{"realtimeRuntime":1})", "limit.bound"},
      {R"("cpu":{"idle":1})", "limit.bound"},
      {R"("cpu":{"cpus":"a"})", "field.value"},
      {R"("pids":{"limit":-1})", "limit.bound"},
      {R"("blockIO":{"weight":10})", "privilege.device"},
      {R"("devices":[{"allow":true,"access":"rwm"}])", "privilege.device"},
      {R"("unified":{"memory.max":"max"})", "limit.bound"},
      {R"("network":{"classID":1})", "limit.bound"},
      {R"("rdma":{"mlx":{"hcaHandles":1}})", "privilege.device"},
      {R"("hugepageLimits":[{"pageSize":"2MB","limit":1}])", "limit.bound"},
  });
  for (const auto& each : resources) {
    CAPTURE(std::string(each.fields));
    const std::string inside = "{" + std::string(each.fields) + "}";
    CHECK(libpod(R"("resource_limits":)" + inside) == each.refusal);
    CHECK(judged(Body::PodCreate, R"({"resource_limits":)" + inside + "}") == each.refusal);
    CHECK(judged(Body::ContainerUpdateLibpod, inside) == each.refusal);
    CHECK(judged(Body::ContainerUpdateLibpod, R"({"Resources":)" + inside + "}") == each.refusal);
  }
  constexpr auto cases = std::to_array<Case>({
      {R"("shm_size":107374182400)", "limit.bound"},
      {R"("stop_timeout":86400)", "limit.bound"},
      {R"("stop_timeout":-1)", "field.type"},
      {R"("stop_signal":65)", "limit.bound"},
      {R"("restart_tries":100000)", "limit.bound"},
      {R"("restart_policy":"always:5")", "field.value"},
      {R"("oom_score_adj":-500)", "limit.bound"},
      {R"("cgroup_parent":"/x")", "limit.bound"},
      {R"("cgroups_mode":"disabled")", "field.value"},
      {R"("unified":{"pids.max":"max"})", "limit.bound"},
      {R"("storage_opts":{"size":"1t"})", "limit.bound"},
      {R"("r_limits":[{"type":"RLIMIT_NOFILE","hard":18446744073709551615,"soft":1}])", "limit.bound"},
      {R"("r_limits":[{"type":"nofile","hard":-1,"soft":-1}])", "field.type"},
      {R"("healthconfig":{"Interval":1})", "limit.bound"},
      {R"("startupHealthConfig":{"Interval":1})", "limit.bound"},
      {R"("healthMaxLogCount":100000)", "limit.bound"},
      {R"("umask":"0999")", "field.value"},
      {R"("umask":"00022")", "field.value"},
  });
  for (const auto& each : cases) {
    CAPTURE(std::string(each.fields));
    CHECK(libpod(each.fields) == each.refusal);
  }
}

TEST_CASE("durations of a libpod update are texts") {
  const auto interval = [](const std::string& text) {
    return judged(Body::ContainerUpdateLibpod, R"({"health_interval":")" + text + "\"}");
  };
  for (const char* text : {"1s", "1m30s", "1000ms", "24h"}) CHECK_MESSAGE(sends(interval(text), text), text);
  for (const char* text : {"1ms", "0s", "999ms"}) CHECK_MESSAGE(interval(text) == "limit.bound", text);
  for (const char* text : {"s", "1", "-1s", "1.5s", "1us", "1ns", "1d", "10000000h", "99999999999999999999s", "1s "})
    CHECK_MESSAGE(interval(text) == "field.value", text);
}

TEST_CASE("limits within the bounds pass") {
  CHECK(
      sends(host_config(R"("Memory":68719476736,"PidsLimit":16384,"CpusetCpus":"0-1,3")"), R"("Memory":68719476736)"));
  CHECK(sends(host_config(R"("Ulimits":[{"Name":"nofile","Hard":1048576,"Soft":0},{"Name":"core","Hard":0,"Soft":0}])"),
              R"({"Name":"core","Hard":0,"Soft":0})"));
  CHECK(sends(host_config(R"("Ulimits":[{"Name":"stack","Hard":-1,"Soft":-1}])"), R"("Hard":-1)"));
  CHECK(sends(libpod(R"("r_limits":[{"type":"RLIMIT_NOFILE","hard":5,"soft":5}])"), "RLIMIT_NOFILE"));
}

TEST_CASE("names that could be taken for ids, and names that are none, are refused") {
  const std::pair<Body, const char*> places[] = {
      {Body::ContainerCreateLibpod, "name"}, {Body::PodCreate, "name"},          {Body::PodCreate, "infra_name"},
      {Body::VolumeCreateCompat, "Name"},    {Body::VolumeCreateLibpod, "Name"}, {Body::NetworkCreateCompat, "Name"},
      {Body::NetworkCreateLibpod, "name"},
  };
  for (const auto& [body, field] : places) {
    CAPTURE(std::string(field));
    for (const char* name : {"abcdefabcdef", "0123456789ab", "DEADBEEFDEADBEEF"})
      CHECK(new_name(body, field, name) == "name.id-like");
    for (const char* name : {"-a", ".a", "_a", "a b", "a/b", "a:b", "a,b", "a\\u00e9", "a\\n"})
      CHECK(new_name(body, field, name) == "name.syntax");
    CHECK(new_name(body, field, std::string(256, 'x')) == "name.syntax");
    for (const char* name : {"abcdefabcde", "a", "A-b_c.9", "abcdefabcdeg"})
      CHECK(sends(new_name(body, field, name), name));
  }
}

TEST_CASE("the project's label is put in, and may only name the project") {
  const std::pair<Body, const char*> places[] = {
      {Body::ContainerCreateCompat, "Labels"},
      {Body::ContainerCreateLibpod, "labels"},
      {Body::PodCreate, "labels"},
      {Body::VolumeCreateCompat, "Labels"},
      {Body::VolumeCreateLibpod, "Labels"},
      {Body::VolumeCreateLibpod, "Label"},
      {Body::NetworkCreateCompat, "Labels"},
      {Body::NetworkCreateLibpod, "labels"},
  };
  for (const auto& [body, field] : places) {
    CAPTURE(std::string(field));
    const auto labels = [&, body = body, field = field](const std::string& text) {
      return judged(body, "{\"" + std::string(field) + "\":" + text + "}");
    };
    for (const char* text : {"{}", "null", R"({"appx.project":"p1"})"})
      CHECK(sends(labels(text), R"("appx.project":"p1")"));
    CHECK(sends(labels(R"({"a":"b"})"), R"({"a":"b","appx.project":"p1"})"));
    for (const char* text : {R"({"appx.project":"p2"})", R"({"appx.project":"p10"})", R"({"appx.project":""})",
                             R"({"appx.project":"P1"})", R"({"appx.project":null})"})
      CHECK(labels(text) == "ownership.label");
    CHECK(sends(labels(R"({"a":"b","PODMAN_SYSTEMD_UNIT":"podman-compose@shop.service"})"),
                R"({"a":"b","appx.project":"p1"})"));
    for (const char* name : {"podman_systemd_unit", "io.containers.autoupdate", "io.containers.autoupdate.authfile",
                             "io.podman.annotations.autoremove", "run.oci.handler", "org.systemd.property.X",
                             "krun.cpus", "io.containers.seccomp.profile"})
      CHECK(labels("{\"" + std::string(name) + R"(":"x"})") == "label.reserved");
    // Podman joins Docker's labels to NAME=value and splits them at the first '='.
    for (const char* name : {"appx.project=p10", "a=b", "", "a\\n"})
      CHECK(labels("{\"" + std::string(name) + R"(":"x"})") == "field.value");
    CHECK(labels(R"({"a":")" + std::string(64 * 1024, 'x') + R"("})") == "limit.labels");
    CHECK(sends(labels(R"({"com.docker.compose.project":"x"})"), "com.docker.compose.project"));
  }
  CHECK(judged(Body::VolumeCreateLibpod, R"({"Label":{"a":"1","b":"2"},"Labels":{"a":"3"}})") ==
        R"({"Labels":{"a":"3","b":"2","appx.project":"p1"}})");
}

TEST_CASE("check_new_name has no opinion on case or length below the limit") {
  const Project project{"p1", "appx.project", {}};
  CHECK_FALSE(check_new_name("web", project).has_value());
  CHECK_FALSE(check_new_name(std::string(255, 'x'), project).has_value());
  CHECK(check_new_name("", project).has_value());
  CHECK(check_new_name("abcdefABCDEF", project).has_value());
}

TEST_CASE("many labels under both names of a volume's are joined, and refused for their size") {
  CHECK(judged(Body::VolumeCreateLibpod, R"({"Labels":{"c":"4","a":"3"},"Label":{"a":"1","b":"2"}})") ==
        R"({"Labels":{"a":"3","b":"2","c":"4","appx.project":"p1"}})");
  const auto labels = [](const std::string& prefix) {
    json::Object map;
    for (int i = 0; i < 200'000; ++i) map.push_back({prefix + std::to_string(i), "x"});
    return map;
  };
  json::Value content;
  content.set("Label", labels("a"));
  content.set("Labels", labels("b"));
  auto world = two_projects();
  // Quadratic work would take minutes here.
  const auto result = world.judge_alone(Body::VolumeCreateLibpod, content);
  REQUIRE(std::holds_alternative<Deny>(result));
  CHECK(std::get<Deny>(result).rule->id == "limit.labels");
}
