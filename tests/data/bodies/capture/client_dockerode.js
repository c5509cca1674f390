// Work with dockerode, step by step. `list` lists them; each is a process of its own.
const Docker = require("dockerode");
const {PassThrough} = require("stream");

const docker = new Docker({socketPath: process.env.DOCKER_HOST.replace("unix://", "")});
const Image = "localhost/bb:latest";
const serve = ["sh", "-c", "trap 'exit 0' TERM; sleep 1000 & wait"];

const steps = {
  network: () => docker.createNetwork({Name: "jsnet", CheckDuplicate: true, Labels: {tier: "back"}}),
  volume: () => docker.createVolume({Name: "jsdata", Labels: {tier: "db"}}),
  run: () => docker.run(Image, ["echo", "hello"], new PassThrough(), {HostConfig: {AutoRemove: true}}),
  "run-service": async () => {
    const container = await docker.createContainer({
      name: "jsweb", Image, Cmd: serve, Env: ["COLOUR=blue"], Labels: {app: "shop"}, Hostname: "www",
      ExposedPorts: {"80/tcp": {}}, Volumes: {"/cache": {}},
      HostConfig: {Binds: ["jsdata:/data"], PortBindings: {"80/tcp": [{HostPort: "0"}]}, NetworkMode: "jsnet",
                   RestartPolicy: {Name: "always"}, Memory: 268435456, NanoCpus: 500000000, PidsLimit: 200, Init: true},
      NetworkingConfig: {EndpointsConfig: {jsnet: {Aliases: ["www"]}}},
    });
    await container.start();
  },
  "run-workspace": async () => {
    const container = await docker.createContainer({
      Image, Cmd: ["ls"], AttachStdout: true, Tty: false, WorkingDir: "/src",
      HostConfig: {Mounts: [{Type: "bind", Source: process.env.WORKSPACE, Target: "/src", ReadOnly: true}], CapDrop: ["ALL"]}});
    await container.start();
  },
  exec: async () => {
    const exec = await docker.getContainer("jsweb").exec({Cmd: ["cat"], AttachStdin: true, AttachStdout: true, AttachStderr: true});
    const stream = await exec.start({hijack: true, stdin: true});
    stream.end("piped\n");
    await new Promise(resolve => stream.on("end", resolve).resume());
  },
  "exec-terminal": async () => {
    const exec = await docker.getContainer("jsweb").exec({Cmd: ["tty"], Tty: true, AttachStdout: true, WorkingDir: "/tmp"});
    const stream = await exec.start({Tty: true, Detach: false});
    await new Promise(resolve => stream.on("end", resolve).resume());
  },
  update: () => docker.getContainer("jsweb").update({Memory: 314572800, MemorySwap: 629145600}),
  connect: async () => {
    await docker.createNetwork({Name: "jsother", Driver: "bridge", Internal: true});
    await docker.getNetwork("jsother").connect({Container: "jsweb", EndpointConfig: {Aliases: ["www"]}});
  },
  disconnect: () => docker.getNetwork("jsother").disconnect({Container: "jsweb", Force: true}),
};

if (process.argv[2] === "list") console.log(Object.keys(steps).join(" "));
else steps[process.argv[2]]().then(() => process.exit(0), error => { console.error(error.message); process.exit(1); });
