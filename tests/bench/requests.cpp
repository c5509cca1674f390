#include "tests/bench/requests.hpp"

#include "tests/bench/objects.hpp"

namespace podfence::bench {

namespace {

constexpr std::size_t own_containers = 10;  // of 50

std::string get(std::string_view target) {
  return std::string("GET /v1.41")
      .append(target)
      .append(" HTTP/1.1\r\nHost: docker\r\nUser-Agent: Docker-Client/20.10 (linux)\r\n\r\n");
}

std::string post(std::string_view target, std::string_view content) {
  auto text = std::string("POST /v1.41")
                  .append(target)
                  .append(" HTTP/1.1\r\nHost: docker\r\nUser-Agent: Docker-Client/20.10 (linux)\r\nContent-Length: ");
  text += std::to_string(content.size());
  if (!content.empty()) text += "\r\nContent-Type: application/json";
  return text.append("\r\n\r\n").append(content);
}

std::string own(std::size_t turn) { return container_id(turn % own_containers * one_in); }

/// What docker-compose sends for a service.
constexpr std::string_view create_body =
    R"({"Hostname":"","Domainname":"","User":"1000","AttachStdin":false,"AttachStdout":true,"AttachStderr":true,)"
    R"("ExposedPorts":{"80/tcp":{}},"Tty":false,"OpenStdin":false,"StdinOnce":false,)"
    R"("Env":["PATH=/usr/local/bin:/usr/bin:/bin","LOG_LEVEL=info","DATABASE_URL=postgres://db/app","FEATURES=a,)"
    R"(b,c"],"Cmd":["/bin/sh","-c","exec app --port 80"],"Healthcheck":{"Test":["CMD-SHELL",)"
    R"("wget -q -O- http://localhost/ || exit 1"],"Interval":30000000000,"Timeout":5000000000,"Retries":3},)"
    R"("Image":"localhost/hello:latest","Volumes":null,"WorkingDir":"/srv","Entrypoint":null,"OnBuild":null,)"
    R"("Labels":{"com.docker.compose.config-hash":"9f2b6a3c5e8d7f0e1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f7081",)"
    R"("com.docker.compose.container-number":"1","com.docker.compose.depends_on":"",)"
    R"("com.docker.compose.image":"sha256:5f2c1d3a9b7e84f60512cdab34e76f8890aa1b2c3d4e5f60718293a4b5c6d7e8",)"
    R"("com.docker.compose.oneoff":"False","com.docker.compose.project":"demo",)"
    R"("com.docker.compose.project.config_files":"/workspace/compose.yaml",)"
    R"("com.docker.compose.project.working_dir":"/workspace","com.docker.compose.service":"web",)"
    R"("com.docker.compose.version":"2.14.0"},"HostConfig":{"Binds":null,"ContainerIDFile":"",)"
    R"("LogConfig":{"Type":"","Config":null},"NetworkMode":"","PortBindings":{"80/tcp":[{"HostIp":"127.0.0.1",)"
    R"("HostPort":""}]},"RestartPolicy":{"Name":"","MaximumRetryCount":0},"AutoRemove":false,"VolumeDriver":"",)"
    R"("VolumesFrom":null,"CapAdd":null,"CapDrop":null,"CgroupnsMode":"","Dns":null,"DnsOptions":null,)"
    R"("DnsSearch":null,"ExtraHosts":null,"GroupAdd":null,"IpcMode":"","Cgroup":"","Links":null,"OomScoreAdj":0,)"
    R"("PidMode":"","Privileged":false,"PublishAllPorts":false,"ReadonlyRootfs":false,"SecurityOpt":null,)"
    R"("UTSMode":"","UsernsMode":"","ShmSize":0,"ConsoleSize":[0,0],"Isolation":"","CpuShares":0,)"
    R"("Memory":268435456,"NanoCpus":500000000,"CgroupParent":"","BlkioWeight":0,"BlkioWeightDevice":null,)"
    R"("BlkioDeviceReadBps":null,"BlkioDeviceWriteBps":null,"BlkioDeviceReadIOps":null,)"
    R"("BlkioDeviceWriteIOps":null,"CpuPeriod":0,"CpuQuota":0,"CpuRealtimePeriod":0,"CpuRealtimeRuntime":0,)"
    R"("CpusetCpus":"","CpusetMems":"","Devices":null,"DeviceCgroupRules":null,"DeviceRequests":null,)"
    R"("KernelMemory":0,"KernelMemoryTCP":0,"MemoryReservation":0,"MemorySwap":0,"MemorySwappiness":null,)"
    R"("OomKillDisable":false,"PidsLimit":null,"Ulimits":null,"CpuCount":0,"CpuPercent":0,"IOMaximumIOps":0,)"
    R"("IOMaximumBandwidth":0,"Mounts":[{"Type":"volume","Source":"data","Target":"/data"}],"MaskedPaths":null,)"
    R"("ReadonlyPaths":null},"NetworkingConfig":{"EndpointsConfig":{}}})";

std::string create(std::size_t turn) {
  return post("/containers/create?name=web-" + std::to_string(turn), create_body);
}

/// One round of 24.
std::string mixed(std::size_t turn) {
  const auto id = own(turn);
  switch (turn % 24) {
    case 0:
    case 4:
    case 9:
    case 14:
    case 19:
      return get("/_ping");
    case 1:
      return get("/version");
    case 2:
    case 5:
    case 7:
    case 11:
    case 15:
    case 17:
    case 20:
    case 22:
      return get("/containers/" + id + "/json");
    case 3:
    case 13:
      return get("/containers/json?all=1");
    case 6:
      return post("/containers/" + id + "/start", "");
    case 8:
    case 18:
      return get("/containers/" + id + "/logs?stdout=1&stderr=1&tail=50");
    case 10:
      return post("/containers/" + id + "/exec", R"({"AttachStdout":true,"AttachStderr":true,"Cmd":["/bin/true"]})");
    case 12:
      return get("/containers/c0/json");
    case 16:
      return get("/images/localhost/hello:latest/json");
    case 21:
      return post("/containers/" + id + "/stop?t=1", "");
    default:
      return get("/containers/" + id + "/json");
  }
}

}  // namespace

std::optional<std::string> request_text(std::string_view kind, std::size_t turn) {
  if (kind == "ping") return get("/_ping");
  if (kind == "inspect") return get("/containers/" + own(turn) + "/json");
  if (kind == "inspect_name") return get("/containers/c" + std::to_string(turn % own_containers * one_in) + "/json");
  if (kind == "list") return get("/containers/json?all=1");
  if (kind == "events") return get("/events?since=1795946400&until=1795947000");
  if (kind == "create") return create(turn);
  if (kind == "mix") return mixed(turn);
  return std::nullopt;
}

std::string hijack_request() {
  const std::string content = R"({"Detach":false,"Tty":true})";
  return "POST /v1.41/exec/" + exec_id() +
         "/start HTTP/1.1\r\nHost: docker\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n"
         "Content-Type: application/json\r\nContent-Length: " +
         std::to_string(content.size()) + "\r\n\r\n" + content;
}

std::string live_request() { return get("/events?filters=%7B%22type%22%3A%5B%22container%22%5D%7D"); }
std::string silent_request() { return get("/events?filters=%7B%22type%22%3A%5B%22volume%22%5D%7D"); }
std::string export_request(bool chunked) {
  return get("/containers/" + container_id(chunked ? 0 : one_in) + "/export");
}

std::string upload_head(std::optional<unsigned long long> size) {
  return "PUT /v1.41/containers/" + container_id(0) +
         "/archive?path=%2Ftmp HTTP/1.1\r\nHost: docker\r\nContent-Type: application/x-tar\r\n" +
         (size ? "Content-Length: " + std::to_string(*size) : std::string("Transfer-Encoding: chunked")) + "\r\n\r\n";
}

std::string build_head() {
  return "POST /v1.41/build HTTP/1.1\r\nHost: docker\r\nContent-Type: application/x-tar\r\n"
         "Transfer-Encoding: chunked\r\n\r\n";
}

}  // namespace podfence::bench
