// Doors to the host other than mounts: files, environment, code, privileges.

#include <doctest/doctest.h>

#include <array>

#include "tests/rules/body_judge.hpp"

using namespace podfence::tests;

namespace {

struct Case {
  const char* fields;
  const char* refusal;
};

}  // namespace

TEST_CASE("host files cannot be written, read or deleted by a libpod create") {
  constexpr auto cases = std::to_array<Case>({
      {R"("log_configuration":{"driver":"k8s-file","path":"/home/user/.profile"})", "mount.host-path"},
      {R"("log_configuration":{"driver":"passthrough"})", "field.value"},
      {R"("log_configuration":{"options":{"path":"/x"}})", "field.refused"},
      {R"("log_configuration":{"labels":{"path":"/x"}})", "field.refused"},
      {R"("log_configuration":{"size":-1})", "limit.bound"},
      {R"("conmon_pid_file":"/x")", "mount.host-path"},
      {R"("healthLogDestination":"/x")", "field.value"},
      {R"("annotations":{"io.podman.annotations.cid-file":"/x"})", "label.reserved"},
      {R"("annotations":{"run.oci.hooks.stdout":"/x"})", "label.reserved"},
      {R"("annotations":{"a":"b"})", "label.reserved"},
      {R"("base_hosts_file":"/etc/passwd")", "field.value"},
      {R"("seccomp_profile_path":"/etc/shadow")", "mount.host-path"},
      {R"("timezone":"../../../etc/shadow")", "field.value"},
      {R"("timezone":"/etc/shadow")", "field.value"},
      {R"("env_host":true)", "env.host"},
      {R"("envmerge":["HOME"])", "env.host"},
      {R"("hostusers":["root"])", "field.refused"},
      {R"("oci_runtime":"/bin/sh")", "field.refused"},
      {R"("removeImage":true)", "field.refused"},
      {R"("personality":{"domain":"LINUX"})", "privilege.security-option"},
      {R"("secrets":[{"Source":"s"}])", "ownership.hidden"},
      {R"("secret_env":{"X":"s"})", "ownership.hidden"},
      {R"("namespace":"other")", "field.refused"},
      {R"("intelRdt":{"closID":"x"})", "limit.bound"},
  });
  for (const auto& each : cases) {
    CAPTURE(std::string(each.fields));
    CHECK(libpod(each.fields) == each.refusal);
  }
}

TEST_CASE("host files cannot be written, read or deleted by a compat create") {
  constexpr auto cases = std::to_array<Case>({
      {R"("LogConfig":{"Type":"k8s-file","Config":{"path":"/x"}})", "field.refused"},
      {R"("LogConfig":{"Type":"k8s-file","Config":{"PaTh":"/x"}})", "field.refused"},
      {R"("LogConfig":{"Type":"k8s-file","Config":{"path=/x":""}})", "field.refused"},
      {R"("LogConfig":{"Type":"none","Config":{"driver":"k8s-file"}})", "field.refused"},
      {R"("LogConfig":{"Config":{"Max-Size":"1m"}})", "field.refused"},
      {R"("LogConfig":{"Config":{"max-size":"-1"}})", "limit.bound"},
      {R"("LogConfig":{"Config":{"max-size":"2g"}})", "limit.bound"},
      {R"("LogConfig":{"Config":{"tag":"a\nb"}})", "field.value"},
      {R"("LogConfig":{"Type":"passthrough"})", "field.value"},
      {R"("LogConfig":{"Type":"k8s-file "})", "field.value"},
      {R"("SecurityOpt":["seccomp=/etc/shadow"])", "privilege.security-option"},
      {R"("SecurityOpt":["seccomp=unconfined"])", "privilege.security-option"},
      {R"("SecurityOpt":["unmask=ALL"])", "privilege.security-option"},
      {R"("SecurityOpt":["systempaths=unconfined"])", "privilege.security-option"},
      {R"("SecurityOpt":["label=disable"])", "privilege.security-option"},
      {R"("SecurityOpt":["proc-opts=hidepid=1"])", "privilege.security-option"},
      {R"("SecurityOpt":["apparmor=unconfined"])", "privilege.security-option"},
      {R"("SecurityOpt":["no-new-privileges:false"])", "privilege.security-option"},
      {R"("Annotations":{"io.podman.annotations.cid-file":"/x"})", "label.reserved"},
      {R"("Annotations":{"org.systemd.property.TimeoutStopUSec":"1"})", "label.reserved"},
      {R"("Runtime":"crun")", "field.refused"},
      {R"("ExtraHosts":["x:host-gateway"])", "field.refused"},
      {R"("ExtraHosts":["x;y:1.2.3.4"])", "field.refused"},
      {R"("ExtraHosts":["x"])", "field.refused"},
      {R"("ExtraHosts":["x:1.2.3.4\ny 1.2.3.5"])", "field.refused"},
      {R"("MaskedPaths":["/x"])", "privilege.security-option"},
      {R"("ReadonlyPaths":["/x"])", "privilege.security-option"},
  });
  for (const auto& each : cases) {
    CAPTURE(std::string(each.fields));
    CHECK(host_config(each.fields) == each.refusal);
  }
}

TEST_CASE("what Podman puts variables in is short, and names one variable at a time") {
  const std::string long_text(5000, 'x');
  const auto merged = [](int entries, const std::string& entry) {
    std::string list;
    for (int i = 0; i < entries; ++i) list += (list.empty() ? "\"" : ",\"") + entry + "\"";
    return list;
  };
  for (const auto& [entries, refused] :
       std::initializer_list<std::pair<std::string, bool>>{{merged(1, "PATH=$PATH:/x"), false},
                                                           {merged(8, "PATH=$PATH:/x"), false},
                                                           {merged(9, "PATH=$PATH:/x"), true},
                                                           {merged(1, "PATH=$PATH$PATH"), true},
                                                           {merged(1, "A=${B}${C}"), true},
                                                           {merged(1, "A=" + long_text), true},
                                                           {merged(1, "A=" + long_text.substr(0, 1000)), false}}) {
    CAPTURE(entries);
    CHECK((compat("\"EnvMerge\":[" + entries + "]") == "env.merge") == refused);
    CHECK((libpod("\"envmerge\":[" + entries + "]") == "env.merge") == refused);
  }
  CHECK(compat(R"("EnvMerge":["A=$B"],"Env":["B=)" + long_text + "\"]") == "env.merge");
  CHECK(libpod(R"("envmerge":["A=$B"],"env":{"B":")" + long_text + "\"}") == "env.merge");
  CHECK(compat(R"("Env":["B=)" + long_text + "\"]").starts_with("{"));

  CHECK(libpod(R"("passwd_entry":"$USERNAME:*:$UID:$GID:$NAME:$HOME:/bin/sh")").starts_with("{"));
  for (const auto& line :
       {long_text, std::string("$HOME$HOME$HOME$HOME$HOME$HOME$HOME$HOME$HOME"), std::string("a\\nb")}) {
    CHECK(libpod(R"("passwd_entry":")" + line + "\"") == "field.value");
    CHECK(libpod(R"("group_entry":")" + line + "\"") == "field.value");
  }
  CHECK(compat(R"("WorkingDir":"/)" + long_text + "\"") == "field.value");
  CHECK(libpod(R"("work_dir":"/)" + long_text + "\"") == "field.value");
}

TEST_CASE("an image whose variables are long takes no EnvMerge") {
  World world = two_projects();
  world.image(id('e'), {"localhost/shared:latest"}, R"({"Config":{"Env":["PATH=)" + std::string(5000, 'x') + R"("]}})");
  const auto with = [&](const std::string& fields) {
    return judge(Body::ContainerCreateCompat, R"({"Image":"localhost/shared")" + fields + "}", world).denied;
  };
  CHECK(with(R"(,"EnvMerge":["A=$PATH"])") == "env.merge");
  CHECK(with("") == "");
}

TEST_CASE("an environment entry must say its value") {
  for (const char* entry : {"SECRET", "PRE*", "*", "", "=x"}) {
    CAPTURE(std::string(entry));
    CHECK(compat(R"("Env":[")" + std::string(entry) + "\"]") == "env.host");
    CHECK(compat(R"("EnvMerge":[")" + std::string(entry) + "\"]") == "env.host");
    CHECK(judged(Body::ExecCreateCompat, R"({"Env":[")" + std::string(entry) + "\"]}") == "env.host");
    CHECK(judged(Body::ContainerUpdateLibpod, R"({"Env":[")" + std::string(entry) + "\"]}") == "env.host");
  }
  CHECK(sends(compat(R"("Env":["A=","B=x=y"])"), R"("Env":["A=","B=x=y"])"));
  CHECK(sends(libpod(R"("env":{"A":"*","B":""})"), R"("env":{"A":"*","B":""})"));
}

TEST_CASE("the subject of a refused environment entry is not its value") {
  World world = two_projects();
  CHECK(judge(Body::ExecCreateCompat, R"({"Env":["=secret"]})", world).subject == "");
}

TEST_CASE("privileges are refused in both families") {
  for (const char* fields : {R"("Privileged":true)"}) CHECK(host_config(fields) == "privilege.privileged");
  CHECK(libpod(R"("privileged":true)") == "privilege.privileged");
  CHECK(judged(Body::ExecCreateCompat, R"({"Privileged":true})") == "privilege.privileged");
  CHECK(judged(Body::ExecCreateLibpod, R"({"privileged":true})") == "privilege.privileged");
  for (const char* name : {"SYS_ADMIN", "CAP_NET_RAW", "ALL", "all", "NET_ADMIN", "", "CAP_CAP_CHOWN"}) {
    CAPTURE(std::string(name));
    CHECK(host_config(R"("CapAdd":[")" + std::string(name) + "\"]") == "privilege.capability");
    CHECK(libpod(R"("cap_add":[")" + std::string(name) + "\"]") == "privilege.capability");
  }
  for (const char* fields :
       {R"("devices":[{"path":"/dev/fuse:/dev/foo"}])", R"("device_cgroup_rule":[{"allow":true}])",
        R"("devices_from":["their"])", R"("host_device_list":[{"path":"/dev/kmsg"}])", R"("gpus":["all"])",
        R"("weightDevice":{"/dev/sda":{"weight":1}})", R"("throttleReadBpsDevice":{"/dev/sda":{"rate":1}})"}) {
    CAPTURE(std::string(fields));
    CHECK(libpod(fields) == "privilege.device");
  }
  for (const char* fields : {R"("Devices":[{"PathOnHost":"/dev/kmsg"}])", R"("DeviceCgroupRules":["a *:* rwm"])",
                             R"("DeviceRequests":[{"Driver":"cdi","DeviceIDs":["x"]}])",
                             R"("BlkioWeightDevice":[{"Path":"/dev/sda","Weight":1}])"}) {
    CAPTURE(std::string(fields));
    CHECK(host_config(fields) == "privilege.device");
  }
  for (const char* fields :
       {R"("unmask":["ALL"])", R"("selinux_opts":["disable"])", R"("apparmor_profile":"unconfined")",
        R"("seccomp_policy":"image")", R"("procfs_opts":["hidepid=1"])", R"("label_nested":true)",
        R"("idmappings":{"AutoUserNs":true})", R"("idmappings":{"AutoUserNsOpts":{"PasswdFile":"/etc/passwd"}})",
        R"("idmappings":{"UIDMap":[{"container_id":0,"host_id":5,"size":1}]})"}) {
    CAPTURE(std::string(fields));
    CHECK(libpod(fields) == "privilege.security-option");
  }
  CHECK(judged(Body::PodCreate, R"({"security_opt":["seccomp=unconfined"]})") == "privilege.security-option");
  CHECK(judged(Body::PodCreate, R"({"pod_devices":["/dev/fuse"]})") == "privilege.device");
  CHECK(judged(Body::PodCreate, R"({"infra_conmon_pid_file":"/x"})") == "mount.host-path");
  CHECK(judged(Body::PodCreate, R"({"hostsFile":"/etc/passwd"})") == "field.value");
  CHECK(judged(Body::PodCreate, R"({"serviceContainerID":"their"})") == "field.refused");
  CHECK(libpod(R"("systemd":"always")") == "field.value");
  CHECK(libpod(R"("groups":["keep-groups"])") == "field.refused");
  CHECK(host_config(R"("GroupAdd":["keep-groups"])") == "field.refused");
  CHECK(host_config(R"("GroupAdd":["a:b"])") == "field.value");
}

TEST_CASE("a log's tag is no program for Podman's service") {
  const auto tag = [](const std::string& text) {
    return host_config(R"("LogConfig":{"Type":"journald","Config":{"tag":")" + text + R"("}})");
  };
  for (const std::string fine :
       {"", "web", "a.b/c-1 2", "{{.ID}}", "{{.Name}}", "app/{{.ImageName}}/{{.Name}}/{{.ID}}|"})
    CHECK(sends(tag(fine), R"("tag":")" + fine));
  for (const std::string bad :
       {"{{range .Mounts}}{{.Source}}{{end}}", R"({{printf \"%1000000d\" 1}})", "{{ .ID}}", "{{.StaticDir}}", "{{.ID",
        "{", "}}", "{{{.ID}}", "{{.ID}}}", "{{.Name}}{{define}}", "{{/*", "{{.id}}"})
    CHECK_MESSAGE(tag(bad) == "field.value", bad);
  CHECK(sends(tag(std::string(256, 'x')), "xxx"));
  CHECK(tag(std::string(257, 'x')) == "field.value");
  CHECK(libpod(R"("log_configuration":{"driver":"k8s-file","options":{"tag":"{{.LogPath}}"}})") == "field.value");
}

TEST_CASE("what lowers privileges passes") {
  CHECK(
      sends(host_config(R"("CapDrop":["ALL"],"CapAdd":["CHOWN","cap_setuid"])"), R"("CapAdd":["CHOWN","cap_setuid"])"));
  CHECK(sends(host_config(R"("SecurityOpt":["no-new-privileges","no-new-privileges:true","mask=/proc/x"])"),
              R"("SecurityOpt":["no-new-privileges","no-new-privileges","mask=/proc/x"])"));
  CHECK(sends(libpod(R"("no_new_privileges":true,"mask":["/x"])"), R"("no_new_privileges":true,"mask":["/x"])"));
  CHECK(sends(host_config(R"("LogConfig":{"Type":"json-file","Config":{"max-size":"10m","max-file":"3","tag":"t"}})"),
              R"("LogConfig":{"Type":"json-file","Config":{"max-size":"10m","tag":"t"}})"));
  CHECK(sends(host_config(R"("ExtraHosts":["a:1.2.3.4","b:::1","c:[fd00::1]"])"), R"("b:::1")"));
  CHECK(sends(libpod(R"("timezone":"Etc/GMT+1")"), "Etc/GMT+1"));
}

TEST_CASE("sysctls are an allow-list") {
  for (const char* name : {"kernel.core_pattern", "net.ipv4.ip_forward", "kernel.shmmax", "NET.CORE.SOMAXCONN"}) {
    CAPTURE(std::string(name));
    const std::string entry = "\"" + std::string(name) + R"(":"1"})";
    CHECK(host_config(R"("Sysctls":{)" + entry) == "privilege.sysctl");
    CHECK(libpod(R"("sysctl":{)" + entry) == "privilege.sysctl");
    CHECK(judged(Body::PodCreate, R"({"sysctl":{)" + entry + "}") == "privilege.sysctl");
  }
  CHECK(sends(host_config(R"("Sysctls":{"net.ipv4.ping_group_range":"0 0"})"), "ping_group_range"));
  CHECK(host_config(R"("Sysctls":{"net.core.somaxconn":"1;x"})") == "privilege.sysctl");
}

TEST_CASE("the command line that podman sends along is dropped, and so are its annotations") {
  const auto text = libpod(R"("containerCreateCommand":["podman","run"],"annotations":{"io.kubernetes.cri-o.TTY":"true",
                             "io.podman.annotations.userns":"keep-id"},"raw_image_name":"localhost/shared")");
  CHECK_FALSE(sends(text, "podman"));
  CHECK_FALSE(sends(text, "annotations"));
  CHECK_FALSE(sends(text, "raw_image_name"));
  CHECK_FALSE(sends(judged(Body::PodCreate, R"({"pod_create_command":["podman"]})"), "podman"));
}

TEST_CASE("what an image says of itself is refused like what a client says") {
  struct Row {
    const char* image;
    const char* denied;
  };
  const Row rows[] = {
      {R"({"Config":{"Env":["PATH=/bin","*"]}})", "env.host"},
      {R"({"Config":{"Env":["HOME"]}})", "env.host"},
      {R"({"Config":{"Env":["=x"]}})", "env.host"},
      {R"({"Config":{"Env":[1]}})", "env.host"},
      {R"({"Annotations":{"run.oci.hooks.stdout":"/tmp/x"}})", "label.reserved"},
      {R"({"Annotations":{"Org.Systemd.Property.X":"1"}})", "label.reserved"},
      {R"({"Labels":{"PODMAN_SYSTEMD_UNIT":"other.service"}})", "label.reserved"},
      {R"({"Config":{"Labels":{"io.containers.autoupdate":"registry"}}})", "label.reserved"},
      {R"({"Config":{"Labels":{"appx.project.secrets":"x"}}})", "label.reserved"},
      {R"({"Config":{"Env":["PATH=/bin","EMPTY="],"Labels":{"appx.project":"p10"}},"Labels":{"kind":"x"},)"
       R"("Annotations":{"org.opencontainers.image.version":"1"}})",
       ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.image);
    auto world = two_projects();
    world.image(id('e'), {"localhost/shared:latest"}, row.image);
    CHECK(judge(Body::ContainerCreateCompat, R"({"Image":"localhost/shared"})", world).denied == row.denied);
    CHECK(judge(Body::ContainerCreateLibpod, R"({"image":"localhost/shared"})", world).denied == row.denied);
  }
}

TEST_CASE("a container has few volumes without a name, those of its image among them") {
  const auto map = [](std::size_t count) {
    std::string text = "{";
    for (std::size_t i = 0; i < count; ++i) text += (i ? R"(,"/v)" : R"("/v)") + std::to_string(i) + R"(":{})";
    return text + "}";
  };
  const auto list = [](std::size_t count, const std::string& before, const std::string& behind) {
    std::string text = "[";
    for (std::size_t i = 0; i < count; ++i) text += (i ? "," : "") + before + std::to_string(i) + behind;
    return text + "]";
  };
  const auto denied = [&](std::size_t of_image, Body body, const std::string& fields) {
    auto world = two_projects();
    world.image(id('e'), {"localhost/shared:latest"}, R"({"Config":{"Volumes":)" + map(of_image) + "}}");
    return judge(body, "{" + fields + "}", world).denied;
  };
  const std::string compat = R"("Image":"localhost/shared")", libpod = R"("image":"localhost/shared")";
  CHECK(denied(32, Body::ContainerCreateCompat, compat) == "");
  CHECK(denied(33, Body::ContainerCreateCompat, compat) == "limit.volumes");
  CHECK(denied(33, Body::ContainerCreateLibpod, libpod) == "limit.volumes");
  CHECK(denied(2, Body::ContainerCreateCompat, compat + R"(,"Volumes":)" + map(30)) == "");
  CHECK(denied(2, Body::ContainerCreateCompat, compat + R"(,"Volumes":)" + map(31)) == "limit.volumes");
  const auto mounts = list(31, R"({"Type":"volume","Target":"/m)", R"("})");
  CHECK(denied(2, Body::ContainerCreateCompat, compat + R"(,"HostConfig":{"Mounts":)" + mounts + "}") ==
        "limit.volumes");
  CHECK(denied(2, Body::ContainerCreateLibpod, libpod + R"(,"volumes":)" + list(30, R"({"Dest":"/m)", R"("})")) == "");
  CHECK(denied(2, Body::ContainerCreateLibpod, libpod + R"(,"volumes":)" + list(31, R"({"Dest":"/m)", R"("})")) ==
        "limit.volumes");
}

TEST_CASE("labels of an image are bounded as those of a client are") {
  auto world = two_projects();
  world.image(id('e'), {"localhost/shared:latest"},
              R"({"Config":{"Labels":{"x":")" + std::string(65536, 'y') + R"("}}})");
  CHECK(judge(Body::ContainerCreateCompat, R"({"Image":"localhost/shared"})", world).denied == "limit.labels");
}

TEST_CASE("an image that is mounted is not taken for the container's own") {
  const auto volumes = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += (i ? R"(,"/v)" : R"("/v)") + std::to_string(i) + R"(":{})";
    return R"({"Config":{"Volumes":{)" + text + "}}}";
  };
  auto world = two_projects();
  world.image(id('5'), {"localhost/shared-many:latest"}, volumes(40));
  world.image(id('6'), {"localhost/shared-few:latest"}, volumes(1));
  const auto denied = [&](const std::string& own, const std::string& mounted, bool own_first) {
    const auto image = R"("image":"localhost/)" + own + "\"";
    const auto mount = R"("image_volumes":[{"Source":"localhost/)" + mounted + R"(","Destination":"/x"}])";
    const auto members = own_first ? image + "," + mount : mount + "," + image;
    return judge(Body::ContainerCreateLibpod, "{" + members + "}", world).denied;
  };
  for (const bool own_first : {true, false}) {
    CAPTURE(own_first);
    CHECK(denied("shared-many", "shared-few", own_first) == "limit.volumes");
    CHECK(denied("shared-few", "shared-many", own_first) == "");
  }
}

TEST_CASE("what an image brings is judged once, however often a list names it") {
  auto world = two_projects();
  world.image(id('e'), {"localhost/shared:latest"}, R"({"Config":{"Env":)" + list_of(100'000, R"("A=b")") + "}}");
  world.image(id('5'), {"localhost/shared-bare:latest"}, R"({"Config":{"Env":["HOME"]}})");
  const auto denied = [&](const std::string& sources) {
    return judge(Body::ContainerCreateLibpod, R"({"image_volumes":)" + sources + "}", world).denied;
  };
  const std::string shared = R"({"Source":"localhost/shared"})", bare = R"({"Source":"localhost/shared-bare"})";
  // Quadratic work would take minutes here.
  CHECK(denied(list_of(50'000, shared)) == "");
  CHECK(denied("[" + shared + "," + shared + "," + bare + "]") == "env.host");
}
