// A test that brings up containers of its own, as testcontainers does it. With the reaper it dies without tidying up: that is the reaper's.
const { GenericContainer, Network, Wait } = require("testcontainers");
const { claim, raised, program } = require("./claims.js");

const { IMAGE, TESTCONTAINERS_RYUK_DISABLED, CONTEXT } = process.env;
// Lines are asked for since the start, which Podman notes a moment later than it is: what a program says at once may be missing, past podfence too.
const SERVER = ["sh", "-c", "mkdir /www; echo served > /www/index.html; sleep 1; echo ready; exec httpd -f -p 8080 -h /www"];

program(async () => {
  const network = await new Network().start();   // called by twelve hexadecimal digits
  const server = await new GenericContainer(IMAGE)
    .withCommand(SERVER)
    .withNetwork(network)
    .withNetworkAliases("server")
    .withExposedPorts(8080)
    .withLabels({ role: "server" })
    .withEnvironment({ COLOUR: "blue" })
    .withTmpFs({ "/scratch": "rw" })
    .withCopyContentToContainer([{ content: "given\n", target: "/given" }])
    .withWaitStrategy(Wait.forAll([Wait.forLogMessage("ready"), Wait.forListeningPorts()]))
    .start();
  const answer = await fetch(`http://${server.getHost()}:${server.getMappedPort(8080)}/index.html`);
  claim([answer.status, await answer.text()], [200, "served\n"], "a mapped port is reached");
  const ran = await server.exec(["sh", "-c", "cat /given; echo $COLOUR; exit 7"]);
  claim([ran.exitCode, ran.output], [7, "given\nblue\n"], "exec");
  const client = await new GenericContainer(IMAGE)
    .withCommand(["sleep", "1000"])
    .withNetwork(network)
    .start();
  const fetched = await client.exec(["sh", "-c", "for i in $(seq 20); do wget -q -O - http://server:8080/index.html && exit; sleep 0.3; done"]);
  claim(fetched.output, "served\n", "containers find each other by alias");
  const logs = await server.logs();
  const said = new Promise((heard) => {
    logs.on("data", (line) => line.includes("ready") && heard("ready"));
    setTimeout(() => heard("nothing"), 10000);
  });
  claim(await said, "ready", "logs");
  const image = await GenericContainer.fromDockerfile(CONTEXT).build("localhost/built-for-a-test:latest", { deleteOnExit: false });
  const built = await image.withCommand(["sh", "-c", "sleep 1; cat /made; sleep 1000"]).withWaitStrategy(Wait.forLogMessage("made")).start();
  claim((await built.exec(["cat", "/made"])).output, "made for a test\n", "an image that the test builds");
  await built.restart();
  claim((await built.exec(["cat", "/made"])).output, "made for a test\n", "a restart");
  await built.stop();
  const refused = await raised(() => new GenericContainer(IMAGE).withPrivilegedMode().withCommand(["true"]).start());
  claim(/podfence: privileged mode is not allowed/.test(refused.message), Boolean(process.env.FENCED), "a refusal says whose");
  claim(server.getName().length > 0, true, "the container has a name");
  if (TESTCONTAINERS_RYUK_DISABLED !== "true") return;
  await client.stop();
  await server.stop();
  await network.stop();
});
