#include "tests/bench/objects.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>

namespace podfence::bench {

namespace {

constexpr std::string_view image_id = "5f2c1d3a9b7e84f60512cdab34e76f8890aa1b2c3d4e5f60718293a4b5c6d7e8";
const std::string nothing;

std::string fields() {
  return "Api-Version: 1.41\r\nContent-Type: application/json\r\nDate: Sun, 29 Nov 2026 10:00:00 GMT\r\n"
         "Libpod-Api-Version: 4.3.1\r\nServer: Libpod/4.3.1 (linux)\r\nX-Reference-Id: 0xc000123456\r\n";
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

/// `@ID@`, `@NAME@`, `@PROJECT@` and `@IMAGE@` stand for what their names say.
std::string filled(std::string_view form, std::size_t number) {
  auto text = replaced(std::string(form), "@ID@", container_id(number));
  text = replaced(std::move(text), "@NAME@", "c" + std::to_string(number));
  text = replaced(std::move(text), "@IMAGE@", image_id);
  return replaced(std::move(text), "@PROJECT@", number % one_in == 0 ? project : "somebody-else");
}

constexpr std::string_view labels =
    R"({"appx.project":"@PROJECT@","com.docker.compose.project":"demo","com.docker.compose.service":"web",)"
    R"("com.docker.compose.config-hash":"9f2b6a3c5e8d7f0e1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f7081",)"
    R"("com.docker.compose.container-number":"1"})";

constexpr std::string_view inspect_form =
    R"({"Id":"@ID@","Created":"2026-11-29T10:00:00.123456789Z","Path":"/bin/sh","Args":["-c","sleep 1000000"],)"
    R"("State":{"OciVersion":"1.0.2-dev","Status":"running","Running":true,"Paused":false,"Restarting":false,)"
    R"("OOMKilled":false,"Dead":false,"Pid":4711,"ConmonPid":4709,"ExitCode":0,"Error":"",)"
    R"("StartedAt":"2026-11-29T10:00:01.123456789Z","FinishedAt":"0001-01-01T00:00:00Z","Health":{"Status":"",)"
    R"("FailingStreak":0,"Log":null},"CheckpointedAt":"0001-01-01T00:00:00Z",)"
    R"("RestoredAt":"0001-01-01T00:00:00Z"},"Image":"@IMAGE@","ImageName":"localhost/hello:latest","Rootfs":"",)"
    R"("Pod":"","ResolvConfPath":"/run/user/1000/containers/vfs-containers/@ID@/userdata/resolv.conf",)"
    R"("HostnamePath":"/run/user/1000/containers/vfs-containers/@ID@/userdata/hostname",)"
    R"("HostsPath":"/run/user/1000/containers/vfs-containers/@ID@/userdata/hosts",)"
    R"("StaticDir":"/home/builder/.local/share/containers/storage/vfs-containers/@ID@/userdata",)"
    R"("OCIRuntime":"runc","ConmonPidFile":"/run/user/1000/containers/vfs-containers/@ID@/userdata/conmon.pid",)"
    R"("Name":"@NAME@","RestartCount":0,"Driver":"vfs","MountLabel":"","ProcessLabel":"","AppArmorProfile":"",)"
    R"("EffectiveCaps":["CAP_CHOWN","CAP_DAC_OVERRIDE","CAP_FOWNER","CAP_FSETID","CAP_KILL",)"
    R"("CAP_NET_BIND_SERVICE","CAP_SETFCAP","CAP_SETGID","CAP_SETPCAP","CAP_SETUID","CAP_SYS_CHROOT"],)"
    R"("BoundingCaps":["CAP_CHOWN","CAP_DAC_OVERRIDE","CAP_FOWNER","CAP_FSETID","CAP_KILL",)"
    R"("CAP_NET_BIND_SERVICE","CAP_SETFCAP","CAP_SETGID","CAP_SETPCAP","CAP_SETUID","CAP_SYS_CHROOT"],)"
    R"("ExecIDs":[],"GraphDriver":{"Name":"vfs","Data":null},"Mounts":[{"Type":"volume","Name":"data",)"
    R"("Source":"/home/builder/.local/share/containers/storage/volumes/data/_data","Destination":"/data",)"
    R"("Driver":"local","Mode":"","Options":["nosuid","nodev","rbind"],"RW":true,"Propagation":"rprivate"}],)"
    R"("Dependencies":[],"NetworkSettings":{"EndpointID":"","Gateway":"","IPAddress":"","IPPrefixLen":0,)"
    R"("IPv6Gateway":"","GlobalIPv6Address":"","GlobalIPv6PrefixLen":0,"MacAddress":"","Bridge":"",)"
    R"("SandboxID":"","HairpinMode":false,"LinkLocalIPv6Address":"","LinkLocalIPv6PrefixLen":0,)"
    R"("Ports":{"80/tcp":[{"HostIp":"127.0.0.1","HostPort":"20000"}]},)"
    R"("SandboxKey":"/run/user/1000/netns/netns-1b2c3d4e-5f60-7182-93a4-b5c6d7e8f901"},"Namespace":"",)"
    R"("IsInfra":false,"IsService":false,"Config":{"Hostname":"@NAME@","Domainname":"","User":"",)"
    R"("AttachStdin":false,"AttachStdout":false,"AttachStderr":false,"Tty":false,"OpenStdin":false,)"
    R"("StdinOnce":false,"Env":["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",)"
    R"("TERM=xterm","container=podman","HOME=/root","HOSTNAME=@NAME@"],"Cmd":["/bin/sh","-c","sleep 1000000"],)"
    R"("Image":"localhost/hello:latest","Volumes":null,"WorkingDir":"/","Entrypoint":"","OnBuild":null,)"
    R"("Labels":@LABELS@,"Annotations":{"io.container.manager":"libpod",)"
    R"("io.kubernetes.cri-o.Created":"2026-11-29T10:00:00.123456789Z","io.kubernetes.cri-o.TTY":"false",)"
    R"("io.podman.annotations.autoremove":"FALSE","io.podman.annotations.init":"FALSE",)"
    R"("io.podman.annotations.privileged":"FALSE","org.opencontainers.image.stopSignal":"15"},"StopSignal":15,)"
    R"("CreateCommand":null,"Umask":"0022","Timeout":0,"StopTimeout":10,"Passwd":true},)"
    R"("HostConfig":{"Binds":["data:/data:rw,rprivate,nosuid,nodev,rbind"],"CgroupManager":"cgroupfs",)"
    R"("CgroupMode":"private","ContainerIDFile":"","LogConfig":{"Type":"k8s-file","Config":null,)"
    R"("Path":"/home/builder/.local/share/containers/storage/vfs-containers/@ID@/userdata/ctr.log","Tag":"",)"
    R"("Size":"0B"},"NetworkMode":"slirp4netns","PortBindings":{"80/tcp":[{"HostIp":"127.0.0.1",)"
    R"("HostPort":"20000"}]},"RestartPolicy":{"Name":"","MaximumRetryCount":0},"AutoRemove":false,)"
    R"("VolumeDriver":"","VolumesFrom":null,"CapAdd":[],"CapDrop":["CAP_AUDIT_WRITE","CAP_MKNOD","CAP_NET_RAW"],)"
    R"("Dns":[],"DnsOptions":[],"DnsSearch":[],"ExtraHosts":[],"GroupAdd":[],"IpcMode":"shareable","Cgroup":"",)"
    R"("Cgroups":"default","Links":null,"OomScoreAdj":0,"PidMode":"private","Privileged":false,)"
    R"("PublishAllPorts":false,"ReadonlyRootfs":false,"SecurityOpt":["no-new-privileges"],"Tmpfs":{},)"
    R"("UTSMode":"private","UsernsMode":"","ShmSize":65536000,"Runtime":"oci","ConsoleSize":[0,0],)"
    R"("Isolation":"","CpuShares":0,"Memory":536870912,"NanoCpus":1000000000,"CgroupParent":"","BlkioWeight":0,)"
    R"("BlkioWeightDevice":null,"BlkioDeviceReadBps":null,"BlkioDeviceWriteBps":null,"BlkioDeviceReadIOps":null,)"
    R"("BlkioDeviceWriteIOps":null,"CpuPeriod":100000,"CpuQuota":100000,"CpuRealtimePeriod":0,)"
    R"("CpuRealtimeRuntime":0,"CpusetCpus":"","CpusetMems":"","Devices":[],"DiskQuota":0,"KernelMemory":0,)"
    R"("MemoryReservation":0,"MemorySwap":1073741824,"MemorySwappiness":0,"OomKillDisable":false,)"
    R"("PidsLimit":2048,"Ulimits":[{"Name":"RLIMIT_NOFILE","Soft":65536,"Hard":65536},{"Name":"RLIMIT_NPROC",)"
    R"("Soft":8192,"Hard":8192}],"CpuCount":0,"CpuPercent":0,"IOMaximumIOps":0,"IOMaximumBandwidth":0,)"
    R"("CgroupConf":null}})";

constexpr std::string_view item_form =
    R"({"Id":"@ID@","Names":["/@NAME@"],"Image":"localhost/hello:latest","ImageID":"sha256:@IMAGE@",)"
    R"("Command":"/bin/sh -c 'sleep 1000000'","Created":1795946400,"Ports":[{"IP":"127.0.0.1","PrivatePort":80,)"
    R"("PublicPort":20000,"Type":"tcp"}],"Labels":@LABELS@,"State":"running","Status":"Up 2 hours",)"
    R"("NetworkSettings":{"Networks":{"slirp4netns":{"IPAMConfig":null,"Links":null,"Aliases":null,)"
    R"("NetworkID":"slirp4netns","EndpointID":"","Gateway":"","IPAddress":"","IPPrefixLen":0,"IPv6Gateway":"",)"
    R"("GlobalIPv6Address":"","GlobalIPv6PrefixLen":0,"MacAddress":"","DriverOpts":null}}},"Mounts":[],)"
    R"("Name":"","Config":null,"NetworkingConfig":null,"Platform":null,"AdjustCPUShares":false})";

constexpr std::string_view libpod_item_form =
    R"({"AutoRemove":false,"Command":["/bin/sh","-c","sleep 1000000"],)"
    R"("Created":"2026-11-29T10:00:00.123456789Z","CreatedAt":"","Exited":false,"ExitedAt":-62135596800,)"
    R"("ExitCode":0,"Id":"@ID@","Image":"localhost/hello:latest","ImageID":"@IMAGE@","IsInfra":false,)"
    R"("Labels":@LABELS@,"Mounts":["/data"],"Names":["@NAME@"],"Namespaces":{},"Networks":[],"Pid":4711,)"
    R"("Pod":"","PodName":"","Ports":[{"host_ip":"127.0.0.1","container_port":80,"host_port":20000,"range":1,)"
    R"("protocol":"tcp"}],"Size":null,"StartedAt":1795946401,"State":"running","Status":""})";

/// Both lists of one family: all containers, and the project's.
void make_lists(std::string_view form, std::size_t containers, std::string& all, std::string& own) {
  std::string everything = "[", ours = "[";
  for (std::size_t i = 0; i < containers; ++i) {
    const auto item = filled(replaced(std::string(form), "@LABELS@", labels), i);
    everything.append(i > 0 ? "," : "").append(item);
    if (i % one_in == 0) ours.append(i > 0 ? "," : "").append(item);
  }
  all = sized_answer(200, everything + "]\n");
  own = sized_answer(200, ours + "]\n");
}

}  // namespace

std::string container_id(std::size_t number) {
  std::array<char, 65> id{};
  const auto mixed = (static_cast<std::uint64_t>(number) + 1) * 0x9E3779B97F4A7C15u;
  std::snprintf(id.data(), id.size(), "%016lx%016lx%016lx%016lx", mixed, number, ~mixed, mixed >> 1);
  return id.data();
}

std::string exec_id() { return container_id(1'000'000); }

std::string sized_answer(int status, std::string_view content) {
  auto text = "HTTP/1.1 " + std::to_string(status) + " Answer\r\n" + fields();
  if (status != 204) text += "Content-Length: " + std::to_string(content.size()) + "\r\n";
  return text.append("\r\n").append(content);
}

std::string chunked_head() { return "HTTP/1.1 200 OK\r\n" + fields() + "Transfer-Encoding: chunked\r\n\r\n"; }

std::string chunk(std::string_view content) {
  std::array<char, 16> size{};
  std::snprintf(size.data(), size.size(), "%zx\r\n", content.size());
  return std::string(size.data()).append(content).append("\r\n");
}

std::string event_line(std::size_t container, long long nanoseconds) {
  const auto time = std::to_string(nanoseconds);
  const auto seconds = std::to_string(nanoseconds / 1'000'000'000);
  return filled(R"({"status":"start","id":"@ID@","from":"localhost/hello:latest","Type":"container","Action":"start",)"
                R"("Actor":{"ID":"@ID@","Attributes":{"appx.project":"@PROJECT@","com.docker.compose.project":"demo",)"
                R"("com.docker.compose.service":"web","containerExitCode":"0","image":"localhost/hello:latest",)"
                R"("name":"@NAME@"}},"scope":"local","time":)" +
                    seconds + R"(,"timeNano":)" + time + "}\n",
                container);
}

Objects::Objects(std::size_t containers) {
  for (std::size_t i = 0; i < containers; ++i)
    containers_.push_back(sized_answer(200, filled(replaced(std::string(inspect_form), "@LABELS@", labels), i)));
  make_lists(item_form, containers, list_, own_list_);
  make_lists(libpod_item_form, containers, libpod_list_, own_libpod_list_);
  const std::string image =
      filled(R"({"Id":"@IMAGE@","RepoTags":["localhost/hello:latest"],"Labels":null,"Config":{"Labels":null,)"
             R"("Cmd":["/bin/sh"],"Env":["PATH=/bin"]},"Size":1200000,"VirtualSize":1200000,)"
             R"("Created":"2026-11-01T10:00:00Z","Os":"linux","Architecture":"amd64","RootFS":{"Type":"layers",)"
             R"("Layers":["sha256:@IMAGE@"]},"History":[]})",
             0);
  ping_ = sized_answer(200, "OK");
  version_ = sized_answer(
      200, R"({"Platform":{"Name":"linux/amd64"},"Components":[{"Name":"Podman Engine","Version":"4.3.1"}],)"
           R"("Version":"4.3.1","ApiVersion":"1.41","MinAPIVersion":"1.24","Os":"linux","Arch":"amd64"})");
  empty_ = sized_answer(200, "[]\n");
  images_ = sized_answer(200, "[" + image + "]\n");
  image_ = sized_answer(200, image);
  volume_ = sized_answer(
      200, R"({"Name":"data","Driver":"local","Mountpoint":"/home/builder/volumes/data/_data",)"
           R"("CreatedAt":"2026-11-29T10:00:00Z","Labels":{"appx.project":"bench"},"Scope":"local","Options":{}})");
  network_ = sized_answer(
      200,
      filled(R"({"name":"default","id":"@ID@","driver":"bridge","labels":{"appx.project":"bench"},"Name":"default",)"
             R"("Id":"@ID@","Labels":{"appx.project":"bench"}})",
             0));
  exec_ = sized_answer(
      200, R"({"ID":")" + exec_id() + R"(","ContainerID":")" + container_id(0) + R"(","Running":false,"ExitCode":0})");
  made_ = sized_answer(201, R"({"Id":")" + exec_id() + R"(","Warnings":[]})");
  made_volume_ =
      sized_answer(201, R"({"Name":"data","Driver":"local","Labels":{"appx.project":"bench"},"Options":{}})");
  done_ = sized_answer(204, "");
  absent_ = sized_answer(404, R"({"cause":"no such object","message":"no such object","response":404})");
  const std::string line(
      "\x01\0\0\0\0\0\0\x40"
      "2026-11-29 10:00:00 GET /index.html 200 a line of a log, 64 byt\n",
      8 + 64);
  logs_ = events_ = chunked_head();
  for (int i = 0; i < 50; ++i) logs_ += chunk(line);
  for (std::size_t i = 0; i < past_events; ++i)
    events_ += chunk(event_line(i % containers, 1'795'946'400'000'000'000 + static_cast<long long>(i) * 1'000'000));
  for (auto* text : {&logs_, &events_}) *text += "0\r\n\r\n";
}

/// Containers are called by id or `c<number>`; who is not there has the number behind the last.
std::size_t Objects::number_of(std::string_view name) const {
  std::size_t number = containers_.size();
  if (name.size() == 64) {
    std::from_chars(name.data() + 16, name.data() + 32, number, 16);
  } else if (name.starts_with('c')) {
    std::from_chars(name.data() + 1, name.data() + name.size(), number);
  }
  return number;
}

const std::string& Objects::about_container(std::string_view method, std::string_view rest) const {
  const auto slash = rest.find('/');
  const auto number = number_of(rest.substr(0, slash));
  if (number >= containers_.size()) return absent_;
  if (slash == std::string_view::npos) return method == "DELETE" ? done_ : absent_;
  const auto verb = rest.substr(slash + 1);
  if (verb == "json") return containers_[number];
  if (verb == "logs") return logs_;
  if (verb == "exec") return made_;
  if (verb == "export" || verb == "archive") return nothing;
  return done_;
}

const std::string& Objects::about_others(std::string_view method, std::string_view path) const {
  if (path == "/version") return version_;
  if (path == "/images/json") return images_;
  if (path.starts_with("/images/")) return image_;
  if (path == "/volumes/create") return made_volume_;
  if (path == "/networks/create") return made_;
  if (path == "/volumes/json" || path == "/networks/json" || path == "/pods/json" || path == "/secrets/json")
    return empty_;
  if (path.starts_with("/volumes/")) return volume_;
  if (path.starts_with("/networks/")) return network_;
  if (path.starts_with("/exec/") && method == "GET") return exec_;
  return nothing;
}

const std::string& Objects::answer(std::string_view method, std::string_view target) const {
  const auto mark = target.find('?');
  auto path = target.substr(0, mark);
  const auto query = mark == std::string_view::npos ? std::string_view() : target.substr(mark);
  const bool versioned = path.size() > 2 && path[1] == 'v' && path[2] >= '0' && path[2] <= '9';
  if (versioned) path.remove_prefix(std::min(path.find('/', 1), path.size()));
  const bool libpod = path.starts_with("/libpod/");
  if (libpod) path.remove_prefix(7);
  if (path == "/_ping") return ping_;
  if (path == "/events") return query.find("until") == std::string_view::npos ? nothing : events_;
  if (path == "/containers/json") {
    const bool own = query.find("appx.project") != std::string_view::npos;
    if (libpod) return own ? own_libpod_list_ : libpod_list_;
    return own ? own_list_ : list_;
  }
  if (path == "/containers/create") return made_;
  if (path.starts_with("/containers/")) return about_container(method, path.substr(12));
  return about_others(method, path);
}

}  // namespace podfence::bench
