// A day of dockerode.
const Docker = require("dockerode");
const { PassThrough } = require("stream");
const { claim, raised, text, program } = require("./claims.js");

const { IMAGE, REGISTRY, FENCED } = process.env;
const SLEEP = ["sh", "-c", "trap 'exit 0' TERM; sleep 1000 & wait"];
const docker = new Docker();

// The two outputs of a stream of frames.
async function frames(stream) {
  const out = new PassThrough(), err = new PassThrough();
  docker.modem.demuxStream(stream, out, err);
  stream.on("end", () => { out.end(); err.end(); });
  return Promise.all([text(out), text(err)]);
}

const finished = (stream) => new Promise((done, failed) =>
  docker.modem.followProgress(stream, (error, lines) => (error ? failed(error) : done(lines))));

async function output(image, command) {
  const out = new PassThrough();
  const said = text(out);
  const [end, container] = await docker.run(image, command, out, { Tty: true });
  out.end();
  await container.remove();
  return [end.StatusCode, (await said).replaceAll("\r", "")];
}

async function containers() {
  claim((await docker.ping()).toString(), "OK", "ping");
  claim(await output(IMAGE, ["sh", "-c", "echo hello; exit 3"]), [3, "hello\n"], "run");
  const web = await docker.createContainer({
    name: "web", Image: IMAGE, Cmd: SLEEP, Env: ["COLOUR=blue"], Labels: { role: "front" }, ExposedPorts: { "80/tcp": {} },
    HostConfig: { Binds: ["data:/data"], PortBindings: { "80/tcp": [{ HostIp: "127.0.0.1", HostPort: "" }] } } });
  await web.start();
  const document = await web.inspect();
  claim([document.State.Status, document.Config.Labels.role], ["running", "front"], "inspect");
  claim(document.NetworkSettings.Ports["80/tcp"][0].HostIp, "127.0.0.1", "ports");
  claim((await docker.listContainers({ filters: { label: ["role=front"] } })).map((one) => one.Names[0]), ["/web"], "list by label");
  const exec = await web.exec({ Cmd: ["sh", "-c", "echo $COLOUR; echo err >&2; exit 7"], AttachStdout: true, AttachStderr: true });
  claim(await frames(await exec.start({})), ["blue\n", "err\n"], "exec keeps the outputs apart");
  claim((await exec.inspect()).ExitCode, 7, "exec tells the exit code");
  const reader = await web.exec({ Cmd: ["sh", "-c", "read word; echo got $word"], AttachStdin: true, AttachStdout: true });
  const stream = await reader.start({ hijack: true, stdin: true });
  const said = frames(stream);
  stream.write("something\n");
  claim((await said)[0], "got something\n", "exec with input on a hijacked connection");
  const archive = await text(await web.getArchive({ path: "/bin/busybox" }));
  claim(archive.length > 100000, true, "getArchive");
  claim((await web.top()).Processes.flat().join(" ").includes("sleep 1000"), true, "top");
  // Podman 5's pasta may hold a published port a moment longer than its container lives.
  for (let tries = 50; /Address already in use/.test((await raised(() => web.restart({ t: 1 }))).message) && tries > 0; tries--)
    await new Promise((done) => setTimeout(done, 200));
  const waiting = web.wait();
  await web.stop({ t: 2 });
  claim((await waiting).StatusCode, 0, "wait");
  await web.remove({ v: true, force: true });
  const error = await raised(() => docker.getContainer("web").inspect());
  claim([error.statusCode, error.reason], [404, "no such container"], "what is not there");
  await docker.getVolume("data").remove();
}

async function streams() {
  const events = await docker.getEvents({ filters: { type: ["container"] } });
  const seen = [];
  events.on("data", (data) => data.toString().split("\n").filter(Boolean).forEach((line) => seen.push(JSON.parse(line).Action)));
  const talker = await docker.createContainer({ name: "talker", Image: IMAGE, Cmd: ["sh", "-c", "echo one; echo two >&2; sleep 0.3; echo three"] });
  const attached = await talker.attach({ stream: true, stdout: true, stderr: true });
  const heard = frames(attached);
  await talker.start();
  claim(await heard, ["one\nthree\n", "two\n"], "attach before the start hears everything");
  claim(await frames(await talker.logs({ follow: true, stdout: true, stderr: true })), ["one\nthree\n", "two\n"], "logs that follow");
  await talker.remove();
  for (let tries = 0; tries < 50 && !seen.includes("remove") && !seen.includes("destroy"); tries++)
    await new Promise((done) => setTimeout(done, 100));
  claim(["create", "start"].every((action) => seen.includes(action)), true, "events tell a life");
  events.destroy();
}

async function images() {
  const name = `${REGISTRY}/team/node`;
  const context = require("tar-stream").pack();
  context.entry({ name: "Dockerfile" }, `FROM ${IMAGE}\nRUN echo built > /built\nLABEL mine=yes\n`);
  context.finalize();
  const lines = await finished(await docker.buildImage(context, { t: `${name}:1` }));
  claim(lines.some((line) => (line.stream || "").includes("STEP 1/")), true, "build tells its progress");
  claim(await output(`${name}:1`, ["cat", "/built"]), [0, "built\n"], "what was built runs");
  await docker.getImage(`${name}:1`).tag({ repo: name, tag: "2" });
  claim((await finished(await docker.getImage(`${name}:2`).push({}))).some((line) => line.error), false, "push");
  await docker.getImage(`${name}:1`).remove();
  await docker.getImage(`${name}:2`).remove();
  const error = await raised(() => docker.getImage(`${name}:2`).inspect());
  claim([error.statusCode, /No such image/.test(error.message)], [404, true], "no such image");
  claim((await finished(await docker.pull(`${name}:2`))).length > 0, true, "pull tells its progress");
  claim((await docker.getImage(`${name}:2`).inspect()).RepoTags.includes(`${name}:2`), true, "the image is there");
  await docker.getImage(`${name}:2`).remove();
}

async function networksVolumesAndTheSystem() {
  const network = await docker.createNetwork({ Name: "net", Labels: { role: "inner" } });
  claim((await docker.listNetworks({ filters: { label: ["role=inner"] } })).map((one) => one.Name), ["net"], "networks");
  await network.remove();
  await docker.createVolume({ Name: "data", Labels: { role: "store" } });
  claim((await docker.listVolumes()).Volumes.map((one) => one.Name), ["data"], "volumes");
  await docker.getVolume("data").remove();
  claim((await docker.info()).OSType, "linux", "info");
  claim((await docker.version()).Components[0].Name, "Podman Engine", "version");
  const refused = await raised(() => docker.createContainer({ Image: IMAGE, HostConfig: { Privileged: true } }));
  claim(/podfence: privileged mode is not allowed/.test(refused.message), Boolean(FENCED), "a refusal says whose");
}

program(async () => {
  await containers();
  await streams();
  await images();
  await networksVolumesAndTheSystem();
});
