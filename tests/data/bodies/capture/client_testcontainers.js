// Work with testcontainers for Node, step by step, its reaper included. `list` lists them; each is a process of its own.
const {GenericContainer, Network, Wait} = require("testcontainers");

const image = "localhost/bb:latest";
const serve = ["sh", "-c", "echo ready; trap 'exit 0' TERM; while true; do nc -l -p 8080 -e echo hello; done & wait"];
const container = () => new GenericContainer(image).withCommand(serve).withStartupTimeout(20000);

const steps = {
  ports: () => container().withExposedPorts(8080).start(),
  "wait-for-log": () => container().withEnvironment({COLOUR: "blue"}).withWaitStrategy(Wait.forLogMessage("ready"))
    .withLabels({app: "shop"}).withName("tcweb").start(),
  network: async () => {
    const network = await new Network().start();
    await container().withNetwork(network).withNetworkAliases("db").withWaitStrategy(Wait.forLogMessage("ready")).start();
  },
  "health-check": () => container().withWaitStrategy(Wait.forHealthCheck())
    .withHealthCheck({test: ["CMD-SHELL", "exit 0"], interval: 1000, timeout: 3000, retries: 5, startPeriod: 1000}).start(),
  workspace: () => container().withBindMounts([{source: process.env.WORKSPACE, target: "/src", mode: "ro"}]).withTmpFs({"/scratch": "rw"})
    .withWorkingDir("/src").withUser("1000").withWaitStrategy(Wait.forLogMessage("ready")).start(),
  limits: () => container().withResourcesQuota({memory: 0.25, cpu: 1}).withSharedMemorySize(67108864)
    .withUlimits({nofile: {soft: 512, hard: 1024}}).withDroppedCapabilities("ALL").withAddedCapabilities("CHOWN")
    .withExtraHosts([{host: "cache", ipAddress: "10.91.11.5"}]).withWaitStrategy(Wait.forLogMessage("ready")).start(),
  "copy-and-exec": async () => {
    const started = await container().withCopyContentToContainer([{content: "text", target: "/tmp/file"}])
      .withWaitStrategy(Wait.forLogMessage("ready")).start();
    await started.exec(["cat", "/tmp/file"], {workingDir: "/tmp", env: {WORD: "one"}, user: "0"});
    await started.stop();
  },
};

if (process.argv[2] === "list") console.log(Object.keys(steps).join(" "));
else steps[process.argv[2]]().then(() => process.exit(0), error => { console.error(error.message); process.exit(1); });
