#pragma once
// Every reason for which podfence says no: one row each, with a stable id. The answer a client reads is made from a row
// in error_answer.cpp and nowhere else; docs/refusals.md is generated from this table.

#include <array>
#include <string_view>

namespace podfence::rules {

struct Refusal {
  std::string_view id;           ///< stable, `family.what`
  int status;                    ///< HTTP status
  std::string_view sentence;     ///< what was wrong; `{}` is the subject
  std::string_view way_out;      ///< what to do instead
  bool hidden = false;           ///< answered as Podman answers for an absent object
  std::string_view policy = "";  ///< key of the project's policy that could allow it (docs/configuration.md)
};

/// "kube" of "kube.yaml".
constexpr std::string_view family_of(std::string_view id) { return id.substr(0, id.find('.')); }

// clang-format off
inline constexpr auto refusal_table = std::to_array<Refusal>({
  // Ownership
  {"ownership.hidden", 404, "no such {}", "", true},
  {"ownership.label", 403, "the label {} belongs to podfence and may only name your own project", "leave the label out; it is added for you"},

  // What the project may do at all (decide.cpp)
  {"access.read", 403, "your project may only read, and this changes something: {}", "ask the operator for access \"full\"", false, "access"},

  // Request target (target.cpp)
  {"target.form", 400, "the request target must be in origin form (a path that begins with '/'): {}", "send the path and query only"},
  {"target.length", 414, "the request target is longer than {} bytes", "shorten the query"},
  {"target.encoding", 400, "the request target holds a character that must be percent-encoded, or a bad percent code: {}", "encode it once, as RFC 3986 says"},
  {"target.path", 400, "the path holds an empty, '.' or '..' segment, or one that is encoded twice or needlessly: {}", "send the clean path"},
  {"target.version", 400, "the API version must be 'v' and up to three numbers: {}", "use a version such as v1.41 or v5.0.0"},
  {"query.syntax", 400, "the query cannot be read in one way only: {}", "send name=value pairs joined by '&'"},
  {"query.unknown", 400, "the query parameter is not known for this endpoint: {}", "leave it out"},
  {"query.repeated", 400, "the query parameter is given more than once, or in two spellings: {}", "give it once"},
  {"query.value", 400, "the query parameter has a value that cannot be accepted: {}", "see docs/endpoints.md"},
  {"query.refused", 403, "the query parameter reaches beyond your project: {}", "leave it out"},
  {"filter.syntax", 400, "the filters are not a JSON object of string lists or of boolean maps: {}", "send {\"label\":[\"a=b\"]}"},
  {"filter.unknown", 400, "the filter is not known for this endpoint: {}", "leave it out"},

  // Endpoints (endpoint_table.cpp)
  {"endpoint.unknown", 404, "podfence knows no such endpoint: {}", "see docs/endpoints.md for what is served"},
  {"endpoint.method", 405, "the endpoint does not take this method: {}", "see docs/endpoints.md"},
  {"endpoint.unversioned", 404, "the libpod API is served under a version only: {}", "send /v4.0.0/libpod/..."},
  {"endpoint.host-path", 403, "the endpoint reads or writes paths of the host: {}", "there is no way through podfence"},
  {"endpoint.host-code", 403, "the endpoint installs or runs code on the host: {}", "there is no way through podfence"},
  {"endpoint.global", 403, "the endpoint acts on the objects of everybody: {}", "prune or remove each kind of object by itself"},
  {"endpoint.no-owner", 403, "the objects of this endpoint have no owner that podfence could check: {}", "there is no way through podfence"},
  {"endpoint.outgoing", 403, "the endpoint makes the host open a connection: {}", "there is no way through podfence"},
  {"endpoint.discloses", 403, "the endpoint discloses more than your project's own things: {}", "inspect the objects one by one"},
  {"endpoint.checkpoint", 403, "a checkpoint holds a whole container configuration that podfence cannot check: {}", "stop and start the container, or copy its files"},
  {"endpoint.host-settings", 403, "the endpoint discloses how the host is set up: {}", "name images in full, as registry/repository:tag"},
  {"endpoint.unsupported", 404, "Podman itself does not support this endpoint: {}", "use the container, pod, volume and network endpoints"},
  {"endpoint.swarm", 503, "node is not part of a swarm: {}", "Podman has no swarm mode"},
  {"endpoint.buildkit", 404, "Podman has no BuildKit session endpoint: {}", "set DOCKER_BUILDKIT=0 to use the classic builder"},
  {"endpoint.build-cache", 404, "there is no build cache that could be pruned: {}", "prune containers, images, volumes and networks, each by itself"},
  {"endpoint.old-manifest", 404, "manifest lists are served as of version 4 of the API only: {}", "send /v4.0.0/libpod/manifests/..."},

  // Content (json.cpp, body/)
  {"content.missing", 400, "the endpoint needs a JSON object as content: {}", "send one with Content-Length or chunked"},
  {"content.unexpected", 400, "the endpoint takes no content: {}", "send none"},
  {"content.json", 400, "the content is not strict JSON: {}", "send one JSON object"},
  {"content.encoding", 415, "encoded content is not accepted: {}", "send it without Content-Encoding"},
  {"content.too-large", 413, "the content is larger than {} bytes", "send less"},
  {"content.too-complex", 413, "the content is more than podfence reads: {}", "send a simpler one"},
  {"field.unknown", 400, "the field is not known: {}", "leave it out; see docs/fields.md"},
  {"field.repeated", 400, "the field is given more than once, or in two spellings: {}", "give it once"},
  {"field.type", 400, "the field has the wrong type: {}", "see the API reference of Podman"},
  {"field.value", 400, "the field has a value that cannot be accepted: {}", "see docs/fields.md"},
  {"field.refused", 403, "the field reaches beyond your project or weakens the fence: {}", "leave it out"},
  {"name.id-like", 400, "a name of 12 or more hexadecimal digits could be taken for an id: {}", "choose another name"},
  {"name.taken", 409, "the name is not available: {}", "choose another name"},
  {"name.reserved", 403, "names that begin with 'podfence.' or hold '..' are podfence's own: {}", "choose another name"},
  {"name.syntax", 400, "the name is not valid: {}", "begin with a letter or digit, then letters, digits, '_', '.' and '-'"},
  {"mount.host-path", 403, "a path of the host cannot be mounted: {}", "use a named volume", false, "workspace"},
  {"mount.workspace-subpath", 403, "a path below a workspace cannot be mounted by itself, since Podman opens it again at every start and a symbolic link could stand there by then: {}", "mount the workspace, and use the path below it in the container", false, "insecure_bind_subpaths"},
  {"mount.source-absent", 409, "the path is not in the workspace, or leads through a symbolic link, or is no file or directory: {}", "make it first: it is not made for you"},
  {"mount.workspace-volume", 503, "the volume by which paths below a workspace are mounted is not as it should be: {}", "ask the operator to remove it; it is made again"},
  {"mount.handed-on", 403, "Podman would hand on the whole workspace for a path below it: {}", "mount the path in each container that needs it"},
  {"mount.copy", 403, "the copy would go past the container's mounts: {}", "copy by way of another container"},
  {"mount.workspace-absent", 409, "the workspace is not on the host, or its path leads through a symbolic link: {}", "ask the operator to put the directory there"},
  {"mount.option", 403, "the mount option is not allowed: {}", "use 'ro' or 'rw'"},
  {"mount.type", 403, "the type of mount is not allowed: {}", "use a volume or a tmpfs"},
  {"mount.target", 400, "the mount target must be an absolute, clean path: {}", "write it without '..', ':' and ','"},
  {"mount.accounts", 403, "Podman itself would read accounts in a directory of the host that is mounted there, through its links: {}", "mount it elsewhere, or use a named volume"},
  {"namespace.host", 403, "the namespace of the host cannot be joined: {}", "leave the mode out"},
  {"namespace.mode", 403, "the namespace mode is not allowed: {}", "leave the mode out, or name a container of your own"},
  {"network.mode", 403, "the network mode is not allowed: {}", "use none, the default, or a network of your own"},
  {"network.egress", 403, "your project's containers may not reach out, and this one could: {}", "use the default, or a network of your own that is internal", false, "network.egress"},
  {"network.gate", 503, "the network that leads out of your project is not as it should be: {}", "ask the operator to make it, with --internal", false, "network.gate"},
  {"network.subnet", 403, "the subnet is not allowed: {}", "leave it to Podman, or take one within those of policy", false, "network.subnets"},
  {"network.shared-default", 403, "the default network is shared by everybody and cannot be changed: {}", "create a network of your own"},
  {"pod.infra", 403, "the infra container of a pod runs what Podman gives it and nothing else: {}", "run that in another container of the pod"},
  {"privilege.capability", 403, "the capability is not one of those that your project may have: {}", "run without it"},
  {"privilege.security-option", 403, "the security option is not allowed: {}", "leave it out"},
  {"privilege.privileged", 403, "privileged mode is not allowed: {}", "run without it"},
  {"privilege.device", 403, "devices of the host are not allowed: {}", "run without it"},
  {"privilege.sysctl", 403, "the sysctl is not allowed: {}", "run without it"},
  {"env.host", 403, "an environment entry without '=' would be filled from the host's environment: {}", "write NAME=value"},
  {"env.merge", 403, "Podman would take very long to put the variables in: {}", "write what it comes to into the environment itself"},
  {"label.reserved", 403, "the label or annotation is reserved: {}", "leave it out"},
  {"limit.policy", 403, "the value is beyond what your project may ask for: {}", "ask for less", false, "limits"},
  {"limit.bound", 403, "the value is beyond the built-in bound: {}", "leave it out"},
  {"limit.references", 403, "the request names more than {} objects", "name fewer at once"},
  {"limit.volumes", 403, "the request would make more than {} volumes", "make them one by one"},
  {"limit.labels", 403, "the labels are longer than {} bytes in all", "shorten them"},
  {"quota.exceeded", 403, "the project's quota is used up: {}", "remove some", false, "quota"},
  {"port.address", 403, "ports are published on the loopback address only, not on: {}", "leave the host address out"},
  {"port.many", 403, "the request publishes more than {} ports", "publish fewer, or neighbours as a range"},
  {"port.none-free", 409, "no port of your project's range is free: {}", "remove a container that publishes one", false, "ports"},
  {"port.range", 403, "the published port is not allowed: {}", "leave the host port out, or choose one of your project's range", false, "ports"},

  // Images
  {"image.shared", 403, "the image is shared by all projects and cannot be changed: {}", "pull or build one of your own"},
  {"image.reference", 400, "the image reference is not accepted: {}", "name it as registry/repository:tag or by its id"},
  {"image.fetch", 404, "an image that is needed cannot be pulled: {}", "check its name, or pull it first"},
  {"image.tag-taken", 403, "the image name cannot be changed by this project: {}", "choose another name"},
  {"image.change", 400, "the change of the image's configuration is not accepted: {}", "use CMD, ENTRYPOINT, ENV, EXPOSE, LABEL, ONBUILD, STOPSIGNAL, USER, VOLUME or WORKDIR"},
  {"image.source", 403, "an image is imported from the content of the request only, not from: {}", "send the archive, with fromSrc=-"},
  {"image.tag-unknown", 404, "the image does not have that name: {}", "see its RepoTags"},
  {"registry.refused", 403, "the registry is not one that your project may use: {}", "use one of those that your project may use", false, "images.registries"},
  {"registry.credentials", 400, "X-Registry-Auth or X-Registry-Config cannot be read: {}", "send base64 of {\"username\": ..., \"password\": ...}, or none"},

  // Manifest lists (act/manifest.cpp)
  {"manifest.engine", 403, "a manifest list could keep this Podman from listing anybody's images: {}", "ask the operator for Podman 5.0 or later", false, "images.insecure_manifests"},
  {"manifest.member", 403, "a manifest list is made of images of yours, shared ones, and those of registries, not of: {}", "name an image of yours, or docker://registry/repository:tag"},

  // Volumes
  {"volume.import", 403, "this Podman could be led out of the volume: {}", "unpack the archive in a container that mounts the volume"},

  // Secrets (act/secret.cpp)
  {"secret.driver", 403, "secrets are kept by Podman's own file driver, without options, since others run programs or choose directories of the host: {}", "leave the driver and its options out"},
  {"secret.in-use", 409, "the secret is in the environment of a container, which Podman fills by its name at every start: {}", "remove the containers that have it there first"},
  {"secret.shown", 403, "your project may only read, and the value of a secret is for its containers: {}", "leave showsecret out", false, "access"},

  // Builds (build/options.cpp, act/build.cpp)
  {"build.file-name", 400, "the Dockerfile must be a file of the context, not: {}", "name it as it is called in the context"},
  {"build.file-absent", 400, "the context has no such Dockerfile: {}", "put it there, or name another one with -f"},
  {"build.buildkit", 400, "BuildKit is not there, and version {} of the builder means it", "set DOCKER_BUILDKIT=0"},
  {"build.secret", 400, "a build secret must be id=NAME,src=FILE, the file a member of the context: {}", "use podman build --secret id=NAME,src=FILE"},
  {"build.network", 403, "RUN steps have a private network or none, and no other namespace of the host: {}", "leave the option out, or use --network none"},
  {"build.platform", 403, "one FROM cannot be for another platform than the build: {}", "build with --platform"},

  // The control plane's listeners (control.cpp)
  {"control.identity", 403, "nobody who may come in here: {}", "ask the operator to name you in `control`"},
  {"control.entitlement", 403, "you may not speak for that project: {}", "ask the operator to name it in `control`"},
  {"control.project-unknown", 404, "there is no such project: {}", "add it first (docs/admin-api.md)"},
  {"control.project-needed", 400, "the request does not tell which project it is for: {}", "send X-Appx-Project: ID"},
  {"control.label", 400, "what is made must carry the label of one of your projects: {}", "label it, or send X-Appx-Project: ID"},
  {"control.several", 409, "the object belongs to several of your projects: {}", "send X-Appx-Project: ID"},
  {"control.projects", 403, "you speak for more than {} projects, which is too many for one list", "send X-Appx-Project: ID"},

  // The operator's socket (operator/)
  {"operator.endpoint", 404, "the operator's socket has no such endpoint: {}", "see docs/admin-api.md"},
  {"operator.method", 405, "the endpoint does not take this method: {}", "see docs/admin-api.md"},
  {"operator.project", 400, "that is no project id: {}", "take 1 to 63 characters a-z, 0-9 and '-', the first one a letter or digit"},
  {"operator.project-unknown", 404, "there is no such project: {}", "see GET /projects"},
  {"operator.project-configured", 409, "the project stands in the configuration and is changed there only: {}", "change the file, and reload it"},
  {"operator.ending", 409, "the project is being ended: {}", "wait until GET /projects/{id} answers 404"},
  {"operator.holder", 409, "the project cannot be bound to its holder: {}", "name a container or a process that is there"},
  {"operator.teardown", 400, "that is no teardown: {}", "take none, stop or remove"},
  {"operator.flag", 400, "that is neither true nor false: {}", "take true or false"},
  {"operator.invalid", 400, "{}", "see docs/configuration.md; the old state stays as it is"},
  {"operator.socket", 409, "the project's socket cannot be made: {}", "choose another place for it"},
  {"operator.restart", 409, "a change that is only made by a restart: {}", "restart podfence, or undo that change"},
  {"operator.no-file", 409, "podfence was started without a configuration file: {}", "start it with --config"},
  {"operator.engine", 503, "Podman does not answer: {}", "look at its service"},
  {"operator.readers", 503, "{} readers of decisions are there, and no more are served", "end one"},
  {"dashboard.host", 421, "the page is for browsers of this machine, which call it 127.0.0.1 or localhost, not: {}", "open the address that podfence dashboard prints"},
  {"dashboard.address", 404, "there is nothing of podfence's page here: {}", "open the one that podfence dashboard prints"},
  {"dashboard.unanswered", 503, "nobody answers on the operator's socket: {}", "look whether podfence is running"},
  // Kubernetes YAML (examination.cpp, body/check_kube.cpp, kube/)
  {"kube.yaml", 400, "the content is no YAML that can be read in one way only: {}", "write it without tags, anchors, aliases and merge keys, and each key once"},
  {"kube.size", 403, "the objects come to more than {} bytes when each pod and container is written out", "play them in parts"},
  {"kube.kind", 403, "podfence plays no Kubernetes objects of this kind: {}", "use Pod, Deployment, ConfigMap, Secret and PersistentVolumeClaim"},
  {"kube.nothing", 400, "there is nothing to play: {}", "send a Pod, a Deployment, a Secret or a PersistentVolumeClaim"},
  {"kube.name", 400, "the Kubernetes object has no name, or one of its kind has it already: {}", "give each a metadata.name of its own"},
  {"kube.reference", 400, "the YAML does not say what this refers to: {}", "send it in the same YAML"},
  {"kube.annotation", 403, "Podman would act on this annotation: {}", "leave it out"},
  {"kube.immutable", 409, "the secret was made of a Secret that says it is immutable: {}", "remove the secret first, or give the new one another name"},

  // Uploaded archives (archive.cpp, image_archive.cpp, proxy/archive.cpp)
  {"archive.format", 400, "the content is no tar archive that can be read: {}", "send a tar archive, plain or compressed by gzip, bzip2, xz or zstd"},
  {"archive.name", 400, "the archive has a member whose name is absolute, goes up by '..', or is not UTF-8: {}", "name members below the archive's root"},
  {"archive.duplicate", 400, "the archive has two members of one name: {}", "pack each once"},
  {"archive.through", 400, "the archive has a member below something that is no directory: {}", "pack directories as directories"},
  {"archive.hard-link", 400, "the archive has a hard link to something that is no earlier file of the archive: {}", "pack the file itself"},
  {"archive.link", 400, "the archive has a link that leads out of it, or a hard link: {}", "pack the file itself"},
  {"archive.type", 400, "the archive has a member that is no file, directory or link: {}", "leave devices, pipes and sockets out"},
  {"archive.holes", 400, "the archive has a file with holes: {}", "pack it without --sparse"},
  {"archive.text-type", 400, "the member must be a plain file: {}", "pack the file itself, not a link to it"},
  {"archive.text-size", 413, "the member is too large to be read: {}", "make it smaller"},
  {"archive.reserved", 400, "the member's name is one of podfence's own: {}", "choose another name"},
  {"archive.members", 413, "the archive has more than {} members, or too long names", "leave out what is not needed, by .dockerignore"},
  {"archive.too-large", 413, "the archive, unpacked, is larger than {} bytes", "leave out what is not needed, by .dockerignore"},
  {"archive.image", 400, "the archive is no image that can be read: {}", "make it by docker save or podman save"},
  {"archive.digest", 400, "the archive says that it holds something else than it does: {}", "make it by docker save or podman save"},
  {"archive.absent", 400, "the archive does not hold all of its image: {}", "save the image with all its layers"},
  {"archive.url", 403, "the archive wants something of its image fetched from elsewhere: {}", "save the image with all its layers"},
  {"archive.images", 413, "the archive has more than {} images or layers", "load them one by one"},

  // Dockerfiles (dockerfile/)
  {"dockerfile.too-large", 403, "the Dockerfile is too large: {}", "split it, or shorten its lines"},
  {"dockerfile.text", 400, "the Dockerfile cannot be read in one way only: {}", "write it plainly, in UTF-8, without a backslash at the very end of an instruction"},
  {"dockerfile.escape", 400, "with this escape directive the instruction cannot be read in one way only: {}", "leave the escape directive out"},
  {"dockerfile.syntax", 400, "the instruction is not well formed: {}", "see the reference of Dockerfiles"},
  {"dockerfile.instruction", 400, "the instruction is not known: {}", "see the reference of Dockerfiles"},
  {"dockerfile.flag", 400, "the flag is not known for this instruction and this Podman: {}", "leave it out"},
  {"dockerfile.flag-value", 400, "the flag's value cannot be accepted: {}", "give the flag once, with a plain value without quotes"},
  {"dockerfile.heredoc", 400, "a here-document cannot be used here: {}", "use RUN <<EOF with Podman 5.4 or later, or copy a file of the context"},
  {"dockerfile.variable", 400, "what the variable stands for is not known, and here it must be: {}", "set it by ARG or ENV in front, or write the value"},
  {"dockerfile.image", 400, "this names no image of a registry: {}", "name it as registry/repository:tag or by its id"},
  {"dockerfile.stage", 400, "this is no good name or number of a stage: {}", "name each stage once, with letters and digits, and refer to earlier ones"},
  {"dockerfile.target", 400, "the file has no such stage to build: {}", "name a stage of the file"},
  {"dockerfile.mount", 400, "the mount of RUN cannot be accepted: {}", "use type=bind, cache or tmpfs, with an absolute target, each option once"},
  {"dockerfile.mount-link", 403, "this Podman would follow a symbolic link in the source of the mount out of the build: {}", "leave source out, so that the whole is mounted, or use COPY"},
  {"dockerfile.secret", 403, "the build may not use secrets or the SSH agent: {}", "leave the mount out"},
  {"dockerfile.network", 403, "a RUN may not choose this network: {}", "leave --network out, or use none"},
  {"dockerfile.security", 403, "a RUN may not choose its security: {}", "leave --security out"},
  {"dockerfile.url", 403, "ADD would fetch this, or could, from the host's own network: {}", "fetch it in a RUN; begin a path with ./ when it begins with a variable"},
  {"dockerfile.path", 400, "the path leads out of where it begins: {}", "write it without '..'"},
  {"dockerfile.label", 403, "the label belongs to podfence and may only name your own project: {}", "leave the label out; it is added for you"},
  {"dockerfile.volume", 400, "a volume named by a variable cannot be put behind the last RUN: {}", "write VOLUME behind the last RUN, or write the path"},
  {"dockerfile.onbuild", 403, "ONBUILD may not do this for those who build from the image: {}", "use ONBUILD with COPY and ADD of files and plain RUN"},

  // The wire (framing.cpp, session.cpp)
  {"http.syntax", 400, "the request head cannot be read: {}", "send HTTP/1.1"},
  {"http.framing", 400, "the framing of the message is ambiguous: {}", "send one Content-Length, or Transfer-Encoding: chunked"},
  {"http.field", 400, "the header field is not acceptable: {}", "leave it out"},
  {"http.method", 405, "the method is not served: {}", "see docs/endpoints.md"},
  {"http.version", 505, "only HTTP/1.1 is served: {}", "send HTTP/1.1"},
  {"http.upgrade", 400, "the connection cannot be upgraded: {}", "send Connection: Upgrade and Upgrade: tcp, on attach and exec start only"},
  {"http.head-too-large", 431, "the request head is larger than {} bytes", "send fewer header fields"},
  {"http.too-many-fields", 431, "the request head has more than {} fields", "send fewer header fields"},
  {"http.chunk-extensions", 413, "the chunk extensions are larger than {} bytes in all", "leave them out"},
  {"http.connections", 429, "your project has {} open connections, and may not have more", "close some, or wait"},
  {"http.timeout", 408, "the request was not complete in time: {}", "send it at once"},
  {"http.expectation", 417, "the expectation cannot be met: {}", "send Expect: 100-continue or none"},
  {"server.connections", 503, "podfence serves {} connections, and may not serve more", "try again later"},
  {"server.requests", 503, "podfence is at work on {} requests, and may not be on more", "try again later"},
  {"server.internal", 500, "podfence failed at this request: {}", "see its log"},
  {"server.busy", 503, "podfence is busy: {}", "try again, with fewer requests at once"},
  {"upstream.unreachable", 502, "Podman cannot be reached: {}", "ask the operator to start podman.socket"},
  {"upstream.changing", 503, "Podman could not list what there is: {}", "try again"},
  {"upstream.answer", 502, "Podman gave an answer that cannot be understood: {}", "ask the operator to look at the log"},
});
// clang-format on

/// The row of that id; an unknown id does not compile.
consteval const Refusal* refusal(std::string_view id) {
  for (const auto& row : refusal_table)
    if (row.id == id) return &row;
  throw "no refusal of that id";
}

}  // namespace podfence::rules
