// Mounts: no path of the host by any of its many doors, volumes of the project only.

#include <doctest/doctest.h>

#include <array>

#include "rules/body/mount.hpp"
#include "rules/body/size.hpp"
#include "tests/rules/body_judge.hpp"

using namespace podfence::tests;

namespace {

struct Case {
  const char* fields;
  const char* refusal;
};

std::string mounts(const std::string& mount) { return host_config(R"("Mounts":[{)" + mount + "}]"); }
std::string binds(const std::string& bind) { return host_config(R"("Binds":[")" + bind + "\"]"); }

Outcome create(const std::string& host_config_fields) {
  World world = two_projects();
  return judge(Body::ContainerCreateCompat, R"({"HostConfig":{)" + host_config_fields + "}}", world);
}

}  // namespace

TEST_CASE("the mounts of a compat create that reach the host are refused") {
  constexpr auto rows = std::to_array<Case>({
      {R"("Binds":["/etc:/x"])", "mount.host-path"},
      {R"("Binds":["/:/x:ro"])", "mount.host-path"},
      {R"("Binds":["./../d:/x"])", "mount.host-path"},
      {R"("Binds":["../d:/x"])", "mount.host-path"},
      {R"("Binds":["~/d:/x"])", "mount.host-path"},
      {R"("Binds":["/home/sub/../:/x"])", "mount.host-path"},
      {R"("Binds":["/var/run/docker.sock:/var/run/docker.sock"])", "mount.host-path"},
      {R"("Binds":["/x"])", "mount.host-path"},
      {R"("Binds":[":/x"])", "mount.host-path"},
      {R"("Binds":[""])", "mount.host-path"},
      {R"("Binds":["vol"])", "field.value"},
      {R"("Binds":["vol:/x:ro:more"])", "field.value"},
      {R"("Binds":["vol:/x:O,upperdir=/h,workdir=/w"])", "mount.option"},
      {R"("Binds":["vol:/x:U"])", "mount.option"},
      {R"("Binds":["vol:/x:dev"])", "mount.option"},
      {R"("Binds":["vol:/x:suid"])", "mount.option"},
      {R"("Binds":["vol:/x:exec"])", "mount.option"},
      {R"("Binds":["vol:/x:rshared"])", "mount.option"},
      {R"("Binds":["vol:/x:idmap"])", "mount.option"},
      {R"("Binds":["vol:/x:ro,rw"])", "mount.option"},
      {R"("Binds":["vol:/x:RO"])", "mount.option"},
      {R"("Binds":["vol:x"])", "mount.target"},
      {R"("Binds":["vol:/"])", "mount.target"},
      {R"("Binds":["vol:/a/../b"])", "mount.target"},
      {R"("Binds":["vol:/a//b"])", "mount.target"},
      {R"("Binds":["vol:/a,b"])", "mount.target"},
      {R"("Binds":["vol:/proc/1"])", "mount.target"},
      {R"("Binds":["vol:/sys"])", "mount.target"},
      {R"("Binds":["vol:/dev/fuse"])", "mount.target"},
      {R"("Binds":["v/ol:/x"])", "name.syntax"},
      {R"("Binds":["v,type=bind:/x"])", "name.syntax"},
      {R"("Mounts":[{"Type":"bind","Source":"/etc","Target":"/x"}])", "mount.host-path"},
      {R"("Mounts":[{"Type":"bind","Source":"vol","Target":"/x"}])", "mount.host-path"},
      {R"("Mounts":[{"Type":"bind","Target":"/etc"}])", "mount.host-path"},
      {R"("Mounts":[{"Type":"bind,src=/etc","Target":"/x"}])", "mount.type"},
      {R"("Mounts":[{"Type":"BIND","Source":"/etc","Target":"/x"}])", "mount.type"},
      {R"("Mounts":[{"Type":"bind ","Source":"/etc","Target":"/x"}])", "mount.type"},
      {R"("Mounts":[{"Type":"","Target":"/x,type=bind,src=/etc"}])", "mount.type"},
      {R"("Mounts":[{"Source":"v,type=bind","Target":"/x"}])", "mount.type"},
      {R"("Mounts":[{"Type":"glob","Source":"/etc/*","Target":"/x"}])", "mount.type"},
      {R"("Mounts":[{"Type":"image","Source":"localhost/theirs","Target":"/x,rw=true"}])", "mount.type"},
      {R"("Mounts":[{"Type":"npipe","Source":"x","Target":"/x"}])", "mount.type"},
      {R"("Mounts":[{"Type":"volume","Source":"/etc","Target":"/x"}])", "mount.host-path"},
      {R"("Mounts":[{"Type":"volume","Source":"v,type=bind","Target":"/x"}])", "name.syntax"},
      {R"("Mounts":[{"Type":"volume","Source":"v\"","Target":"/x"}])", "name.syntax"},
      {R"("Mounts":[{"Type":"volume","Target":"/x,volume-opt=type=none"}])", "mount.target"},
      {R"("Mounts":[{"Type":"volume","Target":"/x\""}])", "mount.target"},
      {R"("Mounts":[{"Type":"volume","Target":"/x\n"}])", "mount.target"},
      {R"("Mounts":[{"Type":"volume"}])", "mount.target"},
      {R"("Mounts":[{"Type":"volume","Target":"/x","Consistency":"cached,src=/etc"}])", "field.value"},
      {R"("Mounts":[{"Type":"volume","Target":"/x","BindOptions":{"Propagation":"rshared"}}])", "field.value"},
      {R"("Mounts":[{"Type":"volume","Target":"/x","VolumeOptions":{"Subpath":"../.."}}])", "mount.host-path"},
      {R"("Mounts":[{"Type":"volume","Target":"/x","VolumeOptions":{"DriverConfig":{"Options":{"device":"/"}}}}])",
       "mount.host-path"},
      {R"("Mounts":[{"Type":"tmpfs","Source":"/etc","Target":"/x"}])", "field.value"},
      {R"("Mounts":[{"Type":"tmpfs","Target":"/x","TmpfsOptions":{"SizeBytes":99999999999}}])", "limit.bound"},
      {R"("Mounts":[{"Type":"tmpfs","Target":"/x","TmpfsOptions":{"Options":[["dev"]]}}])", "mount.option"},
      {R"("Mounts":[{"Type":"volume","Target":"/x","ClusterOptions":{"a":1}}])", "field.refused"},
      {R"("Mounts":[{"Type":"volume","Target":"/x","ImageOptions":{"Subpath":"a"}}])", "field.refused"},
      {R"("Tmpfs":{"/x":"bind"})", "mount.option"},
      {R"("Tmpfs":{"/x:rw,size=1m":""})", "mount.target"},
      {R"("Tmpfs":{"/x":"size=100g"})", "limit.bound"},
      {R"("Tmpfs":{"/x":"size=50%"})", "limit.bound"},
      {R"("Tmpfs":{"/x":"size=0"})", "limit.bound"},
      {R"("Tmpfs":{"/x":"exec,suid"})", "mount.option"},
      {R"("Tmpfs":{"/x":"dev"})", "mount.option"},
      {R"("Tmpfs":{"/x":"z"})", "mount.option"},
      {R"("Tmpfs":{"/x":"mode=99"})", "mount.option"},
      {R"("Tmpfs":{"x":""})", "mount.target"},
      {R"("ContainerIDFile":"/etc/x")", "mount.host-path"},
      {R"("VolumeDriver":"image")", "field.refused"},
      {R"("StorageOpt":{"size":"1g"})", "limit.bound"},
      {R"("VolumesFrom":["their"])", "ownership.hidden"},
      {R"("VolumesFrom":["nothing"])", "ownership.hidden"},
      {R"("VolumesFrom":["web:z"])", "mount.option"},
      {R"("VolumesFrom":["web:ro,z"])", "mount.option"},
  });
  for (const auto& row : rows) {
    CAPTURE(std::string(row.fields));
    CHECK(host_config(row.fields) == row.refusal);
  }
  for (const char* key : {"/etc:/x:ro", "/etc:/x", "x", "/x,y", "/a/../b", "/", ""}) {
    CAPTURE(std::string(key));
    CHECK(compat(R"("Volumes":{")" + std::string(key) + R"(":{}})") == "mount.target");
  }
}

TEST_CASE("the mounts of a libpod create that reach the host are refused") {
  constexpr auto rows = std::to_array<Case>({
      {R"("mounts":[{"type":"bind","source":"/etc","destination":"/x"}])", "mount.host-path"},
      {R"("mounts":[{"type":"none","source":"/etc","destination":"/x","options":["rbind"]}])", "mount.type"},
      {R"("mounts":[{"source":"/etc","destination":"/x","options":["rbind"]}])", "mount.type"},
      {R"("mounts":[{"type":"proc","source":"/etc","destination":"/x","options":["rbind"]}])", "mount.type"},
      {R"("mounts":[{"type":"sysfs","source":"s","destination":"/x"}])", "mount.type"},
      {R"("mounts":[{"type":"overlay","source":"o","destination":"/x","options":["lowerdir=/"]}])", "mount.type"},
      {R"("mounts":[{"type":"Bind","source":"/etc","destination":"/x"}])", "mount.type"},
      {R"("mounts":[{"type":"tmpfs","source":"/etc","destination":"/x","options":["rbind"]}])", "mount.option"},
      {R"("mounts":[{"type":"tmpfs","destination":"/x","options":["size=64g"]}])", "limit.bound"},
      {R"("mounts":[{"type":"tmpfs","destination":"/proc"}])", "mount.target"},
      {R"("mounts":[{"type":"tmpfs","destination":"/x","uidMappings":[{"containerID":0,"hostID":1,"size":1}]}])",
       "privilege.security-option"},
      {R"("volumes":[{"Name":"vol","Dest":"/x","Options":["O","upperdir=/h"]}])", "mount.option"},
      {R"("volumes":[{"Dest":"/x","Options":["volume-opt=type=none","volume-opt=device=/"]}])", "mount.option"},
      {R"("volumes":[{"Name":"/etc","Dest":"/x"}])", "mount.host-path"},
      {R"("volumes":[{"Name":"vol","Dest":"x"}])", "mount.target"},
      {R"("volumes":[{"Name":"vol","Dest":"/x","SubPath":"../.."}])", "mount.host-path"},
      {R"("volumes":[{"Name":"theirvol","Dest":"/x"}])", "name.taken"},
      {R"("overlay_volumes":[{"source":"/etc","destination":"/x"}])", "mount.host-path"},
      {R"("image_volumes":[{"Source":"localhost/theirs","Destination":"/x"}])", "ownership.hidden"},
      {R"("image_volumes":[{"Source":"localhost/shared","Destination":"/x","ReadWrite":true}])", "field.refused"},
      {R"("image_volumes":[{"Source":"localhost/shared","Destination":"/x","subPath":"../.."}])", "mount.host-path"},
      {R"("image_volumes":[{"Source":"localhost/shared","Destination":"x"}])", "mount.target"},
      {R"("artifact_volumes":[{"source":"a","destination":"/x"}])", "field.refused"},
      {R"("volumes_from":["their"])", "ownership.hidden"},
      {R"("rootfs":"/")", "mount.host-path"},
      {R"("rootfs_overlay":true)", "mount.host-path"},
      {R"("init_path":"/bin/sh")", "mount.host-path"},
      {R"("chroot_directories":["/any"])", "mount.host-path"},
      {R"("rootfs_propagation":"rshared")", "field.value"},
      {R"("image_volume_mode":"bind")", "field.value"},
  });
  for (const auto& row : rows) {
    CAPTURE(std::string(row.fields));
    CHECK(libpod(row.fields) == row.refusal);
  }
}

TEST_CASE("a pod has the same rules of mounts") {
  for (const auto& row : std::to_array<Case>({
           {R"({"mounts":[{"type":"bind","source":"/etc","destination":"/x"}]})", "mount.host-path"},
           {R"({"volumes":[{"Name":"theirvol","Dest":"/x"}]})", "name.taken"},
           {R"({"overlay_volumes":[{"source":"/etc","destination":"/x"}]})", "mount.host-path"},
           {R"({"volumes_from":["their"]})", "ownership.hidden"},
           {R"({"infra_image":"localhost/theirs"})", "pod.infra"},
           {R"({"infra_image":"localhost/mine"})", "pod.infra"},
           {R"({"infra_command":["/bin/sh"]})", "pod.infra"},
           {R"({"infra_command":"/bin/sh"})", "pod.infra"},
       })) {
    CAPTURE(std::string(row.fields));
    CHECK(judged(Body::PodCreate, row.fields) == row.refusal);
  }
}

TEST_CASE("a volume by driver options is refused") {
  CHECK(judged(Body::VolumeCreateCompat, R"({"Name":"v","DriverOpts":{"type":"none","o":"bind","device":"/"}})") ==
        "mount.host-path");
  CHECK(judged(Body::VolumeCreateLibpod, R"({"Name":"v","Options":{"type":"bind","o":"rbind","device":"/"}})") ==
        "mount.host-path");
  CHECK(judged(Body::VolumeCreateLibpod, R"({"Name":"v","Driver":"image","Options":{"image":"x"}})") != "");
  CHECK(judged(Body::VolumeCreateCompat, R"({"Name":"v","Driver":"image"})") == "field.value");
  CHECK(judged(Body::VolumeCreateLibpod, R"({"Name":"v","Driver":"image"})") == "field.value");
  CHECK(judged(Body::VolumeCreateLibpod, R"({"Name":"v","UID":1000})") == "field.refused");
}

TEST_CASE("named volumes of the project pass, and are written anew") {
  CHECK(sends(binds("vol:/data/"), R"("Binds":["vol:/data"])"));
  CHECK(sends(binds("vol:/data:ro"), R"("Binds":["vol:/data:ro"])"));
  CHECK(sends(binds("vol:/data:rw,nosuid,nodev,noexec,rprivate,nocopy"),
              R"("vol:/data:rw,nosuid,nodev,noexec,rprivate,nocopy")"));
  CHECK(sends(binds("vol:/data:"), R"("Binds":["vol:/data"])"));
  CHECK(sends(mounts(R"("Type":"volume","Source":"vol","Target":"/d","ReadOnly":true)"),
              R"({"Type":"volume","Source":"vol","Target":"/d","ReadOnly":true})"));
  CHECK(sends(mounts(R"("Type":"volume","Target":"/d")"), R"({"Type":"volume","Target":"/d"})"));
  CHECK(
      sends(libpod(R"("volumes":[{"Name":"vol","Dest":"/d","Options":["ro"]},{"Name":"","Dest":"/e","Options":null}])"),
            R"("volumes":[{"Name":"vol","Dest":"/d","Options":["ro"]},{"Dest":"/e"}])"));
  CHECK(sends(host_config(R"("VolumesFrom":["web","web:ro","web:rw"])"),
              "[\"" + id('c') + "\",\"" + id('c') + ":ro\",\"" + id('c') + "\"]"));
  CHECK(sends(libpod(R"("image_volumes":[{"Source":"localhost/shared","Destination":"/i/"}])"),
              R"("image_volumes":[{"Source":")" + id('e') + R"(","Destination":"/i"}])"));
}

TEST_CASE("labels of SELinux and hints of Docker Desktop are heard and not sent on") {
  for (const char* option : {"z", "Z", "cached", "delegated", "consistent"}) {
    const std::string word = option;
    CAPTURE(word);
    CHECK(sends(binds("vol:/data:" + word), R"("Binds":["vol:/data"])"));
    CHECK(sends(binds("vol:/data:ro," + word), R"("Binds":["vol:/data:ro"])"));
    CHECK(sends(binds("vol:/data:" + word + ",nocopy"), R"("Binds":["vol:/data:nocopy"])"));
    CHECK(sends(libpod(R"("volumes":[{"Name":"vol","Dest":"/d","Options":[")" + word + R"("]}])"),
                R"("volumes":[{"Name":"vol","Dest":"/d"}])"));
    CHECK(sends(libpod(R"("volumes":[{"Name":"vol","Dest":"/d","Options":["ro",")" + word + R"("]}])"),
                R"("volumes":[{"Name":"vol","Dest":"/d","Options":["ro"]}])"));
    CHECK(binds("/etc:/x:" + word) == "mount.host-path");
  }
  CHECK(binds("vol:/x:z,U") == "mount.option");
  CHECK(binds("vol:/x:zZ") == "mount.option");
}

TEST_CASE("a missing volume is to be made, a foreign one looks like a name that is taken") {
  CHECK(create(R"("Binds":["vol:/x"])").volumes.empty());
  CHECK(create(R"("Binds":["new:/x"])").volumes == std::vector<std::string>{"new"});
  CHECK(create(R"("Binds":["theirvol:/x"])").denied == "name.taken");
  CHECK(create(R"("Mounts":[{"Type":"volume","Source":"theirvol","Target":"/x"}])").denied == "name.taken");
}

TEST_CASE("a volume with a name like an id must be the project's own") {
  World world = two_projects();
  world.volume(id('a'), "p1");
  world.volume(id('f'), "p10");
  const auto bind = [&](const std::string& name) {
    return judge(Body::ContainerCreateCompat, R"({"HostConfig":{"Binds":[")" + name + R"(:/x:rw"]}})", world).denied;
  };
  CHECK(bind(id('a')) == "");
  CHECK(bind(id('f')) == "name.id-like");
  CHECK(bind(id('7')) == "name.id-like");
}

TEST_CASE("a tmpfs gets a size, and what Podman would leave open") {
  CHECK(sends(host_config(R"("Tmpfs":{"/t":""})"), R"("Tmpfs":{"/t":"nosuid,nodev,size=1073741824"})"));
  CHECK(sends(host_config(R"("Tmpfs":{"/t":"exec"})"), R"("Tmpfs":{"/t":"exec,nosuid,nodev,size=1073741824"})"));
  CHECK(sends(libpod(R"("mounts":[{"type":"tmpfs","destination":"/t","options":["exec"]}])"),
              R"("options":["exec","nosuid","nodev","size=1073741824"])"));
  CHECK(sends(host_config(R"("Tmpfs":{"/dev/shm":"rw,size=64m,mode=1777"})"),
              R"("/dev/shm":"rw,mode=1777,nosuid,nodev,size=67108864")"));
  CHECK(sends(mounts(R"("Type":"tmpfs","Target":"/t")"),
              R"({"Type":"tmpfs","Target":"/t","TmpfsOptions":{"SizeBytes":1073741824,"Mode":1023}})"));
  CHECK(sends(mounts(R"("Type":"tmpfs","Target":"/t","TmpfsOptions":{"SizeBytes":4096,"Mode":448})"),
              R"("TmpfsOptions":{"SizeBytes":4096,"Mode":448})"));
  CHECK(sends(
      libpod(R"("mounts":[{"type":"tmpfs","source":"/etc","destination":"/t","options":["ro"]}])"),
      R"({"type":"tmpfs","source":"tmpfs","destination":"/t","options":["ro","nosuid","nodev","size=1073741824"]})"));
}

TEST_CASE("a refused option names what that kind of mount takes") {
  const auto way_out = [](const std::string& fields) {
    const auto outcome = create(fields);
    return outcome.denied + " " + outcome.way_out;
  };
  CHECK(
      way_out(R"("Tmpfs":{"/x":"suid"})") ==
      "mount.option use size=, mode=, ro, rw, nosuid, nodev, exec, noexec, rprivate, private, tmpcopyup, notmpcopyup");
  CHECK(way_out(R"("Binds":["vol:/x:suid"])") == "mount.option ");  // the refusal's own
}

TEST_CASE("sizes are read with their units") {
  CHECK(parse_size("0") == 0);
  CHECK(parse_size("10b") == 10);
  CHECK(parse_size("1k") == 1024);
  CHECK(parse_size("64M") == 64 << 20);
  CHECK(parse_size("2Gb") == std::int64_t{2} << 30);
  CHECK(parse_size("1125899906842624") == std::int64_t{1} << 50);
  for (const char* text :
       {"", "m", "-1", "+1", "1.5m", "1mm", "1bb", "50%", "1t", "9999999999g", "1125899906842625", " 1", "1 m"}) {
    CAPTURE(std::string(text));
    CHECK_FALSE(parse_size(text).has_value());
  }
}

TEST_CASE("the mounts of another container are judged once, however often a list names it") {
  auto world = two_projects();
  world.add(Kind::Container, "many", id('5'), "p1",
            R"({"Mounts":)" + list_of(20'000, R"({"Type":"volume","Name":"vol"})") + "}");
  world.add(Kind::Container, "bound", id('6'), "p1", R"({"Mounts":[{"Type":"bind","Source":"/x"}]})");
  const auto denied = [&](const std::string& names) {
    return judge(Body::ContainerCreateLibpod, R"({"volumes_from":)" + names + "}", world).denied;
  };
  // Quadratic work would take minutes here.
  CHECK(denied(list_of(100'000, R"("many")")) == "");
  CHECK(denied(R"(["bound","bound:rw","many:ro"])") == "");
  CHECK(denied(R"(["bound","many","bound:ro"])") == "mount.option");
}
