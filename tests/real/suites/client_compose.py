"""docker compose of versions 1.29 and 2.26, and podman-compose: an application of three services, one of them built, that waits for
health, with named volumes, two networks and a profile, from `up` to `down`."""

import os
import threading
from contextlib import contextmanager
from dataclasses import dataclass

from check import check, equal, until
from clients import LIBPOD, ok, resolves, restarts, says, shows
from fleet import Client, debian13
from world import IMAGE

SLEEPING = "trap 'exit 0' TERM; sleep 1000 & wait"
APPLICATION = """
services:
  db:
    image: {image}
    command: ["sh", "-c", "echo db is up; touch /tmp/ready; {sleeping}"]
    healthcheck: {{test: ["CMD", "test", "-e", "/tmp/ready"], interval: 1s, retries: 30}}
    volumes: ["store:/var/store"]
    networks: [back]
  api:
    build: {{context: api, args: {{WHO: you}}}}
    image: {image_built}
    environment: [MODE=production]
    depends_on: {{db: {{condition: {condition}}}}}
    networks: {{back: {{}}, front: {{aliases: [service]}}}}
    volumes: ["store:/shared:ro", "/scratch"]
  web:
    image: {image}
    command: ["sh", "-c", "echo web has $$COLOUR; {sleeping}"]
    environment: {{COLOUR: {colour}}}
    depends_on: [api]
    networks: [front]
    ports: ["127.0.0.1::8080"]
  once:
    image: {image}
    command: ["echo", "one-off"]
    networks: [back]
    profiles: [tools]
{more}
volumes:
  store: {{labels: {{role: store}}}}
networks:
  back: {{internal: true}}
  front:
"""
EXTRA = f"""  extra:
    image: {IMAGE}
    command: ["sh", "-c", "{SLEEPING}"]
    networks: [back]
"""
DOCKERFILE = f"""FROM {IMAGE}
ARG WHO
RUN echo "built for $WHO" > /built
CMD ["sh", "-c", "echo api runs as $MODE; {SLEEPING}"]
"""


@dataclass
class Application:
    """What one compose program makes of it: `call` runs that in the application's directory."""
    world: object
    client: Client
    between: str   # the parts of a container's name
    condition: str = "service_healthy"

    def __post_init__(self):
        self.folder = f"{self.world.p1.home}/shop"
        os.makedirs(f"{self.folder}/api", exist_ok=True)
        with open(f"{self.folder}/api/Dockerfile", "w") as file:
            file.write(DOCKERFILE)
        self.write()

    def write(self, colour="blue", more=""):
        with open(f"{self.folder}/docker-compose.yml", "w") as file:
            file.write(APPLICATION.format(image=IMAGE, image_built="localhost/shop-api:latest", sleeping=SLEEPING, colour=colour, more=more,
                                          condition=self.condition))

    def __call__(self, *words, timeout=90, **options):
        return self.client(*words, cwd=self.folder, timeout=timeout, **options)

    def start(self, *words):
        return self.client.start(*words, cwd=self.folder)

    def name(self, service):
        return self.between.join(("shop", service, "1"))

    def identifier(self, service):
        return self.world.p1.get(f"{LIBPOD}/containers/{self.name(service)}/json").json().get("Id")

    @contextmanager
    def checked_health(self):
        """Where no systemd does it, somebody has to ask for the health of `db` now and then."""
        over = threading.Event()

        def ask():
            while not over.wait(0.5):
                self.world.p1.get(f"{LIBPOD}/containers/{self.name('db')}/healthcheck")
        asking = threading.Thread(target=ask)
        asking.start()
        yield
        over.set()
        asking.join()


def _is_gone(world):
    p1 = world.p1
    equal([one["Names"] for one in p1.get(f"{LIBPOD}/containers/json?all=true").json()], [], "no container is left")
    equal([one["Name"] for one in p1.get(f"{LIBPOD}/volumes/json").json()], [], "no volume is left")
    equal([one["name"] for one in p1.get(f"{LIBPOD}/networks/json").json() if "shop" in one["name"]], [], "no network is left")
    world.unharmed()


def _life(application):
    world, app = application.world, application
    with app.checked_health():
        ok(app("build"))
        ok(app("up", "-d"))
    shows(app("ps"), *(app.name(service) for service in ("db", "api", "web")))
    equal(len(ok(app("ps", "-q")).out.split()), 3, "each service is listed once, and the one of the profile is not there")
    logs = ok(app("logs", "--no-color")).out
    for service, line in (("db", "db is up"), ("api", "api runs as production"), ("web", "web has blue")):
        check(any(service in said and said.endswith(line) for said in logs.splitlines()), f"logs tell {line!r}", logs)
    follower = app.start("logs", "-f", "--no-color", "web")
    says(app("exec", "-T", "api", "cat", "/built"), "built for you")
    ok(app("exec", "-T", "db", "sh", "-c", "echo row > /var/store/table"))
    says(app("exec", "-T", "api", "cat", "/shared/table"), "row", what="services share a volume")
    equal(app("exec", "-T", "web", "sh", "-c", "exit 9").code, 9, "exec tells the exit code")
    resolves(lambda *words: app("exec", "-T", "web", *words), "service", "services find each other by alias")
    shows(app("port", "web", "8080"), "127.0.0.1:")
    shows(app("top", "db"), "sleep 1000")
    restarts(app, "restart", "-t", "2", "api")
    ok(app("stop", "-t", "2", "web"))
    restarts(app, "start", "web")
    until(lambda: world.p1.docker("logs", app.name("web")).out.count("web has blue") == 2, 5)
    # A change makes the changed service anew, and no other.
    before = {service: app.identifier(service) for service in ("db", "api", "web")}
    app.write("green", EXTRA)
    with app.checked_health():
        ok(app("up", "-d", "-t", "2"))
    shows(app("logs", "--no-color", "web"), "web has green")
    after = {service: app.identifier(service) for service in before}
    equal([service for service in before if before[service] != after[service]], ["web"], "up after a change makes what has changed")
    said = follower.communicate(timeout=60)[0].decode()
    check(follower.returncode == 0 and "web has blue" in said, "logs -f follows a service to its end", said)
    shows(app("exec", "-T", "api", "cat", "/shared/table"), "row", what="the volume is kept")
    app.write("green")   # `extra` is an orphan now
    ok(app("down", "-v", "--remove-orphans", "-t", "2"))
    _is_gone(world)


def test_compose_2(world):
    app = Application(world, Client(world.p1, debian13("docker-compose", "--ansi", "never"), DOCKER_BUILDKIT="0"), "-")
    shows(app("version"), " 2.26")
    shows(app("config", "--services"), "db", "api", "web")
    _life(app)


def test_compose_2_more(world):
    """What version 1 does not have: cp, a one-off `run` beside the others, ls, wait for health on the command line, watching events."""
    app = Application(world, Client(world.p1, debian13("docker-compose", "--ansi", "never"), DOCKER_BUILDKIT="0"), "-")
    with app.checked_health():
        ok(app("up", "-d", "--wait", "db"))
    says(app("run", "--rm", "-T", "once"), "one-off", what="a service of a profile is run by name")
    equal(app("run", "-T", "--name", "ended", "db", "sh", "-c", "exit 6").code, 6, "run tells the exit code")
    ok(world.p1.docker("rm", "ended"))
    with open(f"{app.folder}/given", "w") as file:
        file.write("given\n")
    ok(app("cp", "given", "db:/tmp/given"))
    ok(app("cp", "db:/tmp/given", "taken"))
    equal(open(f"{app.folder}/taken").read(), "given\n", "cp in and out again")
    shows(app("ls"), "shop", "running(1)")
    ok(app("--profile", "tools", "up", "-d", "once"))
    shows(app("ps", "-a", "--format", "{{.Service}} {{.State}}"), "once exited", "db running")
    ok(app("kill", "db"))
    ok(app("rm", "-f"))
    ok(app("--profile", "tools", "down", "-v", "--remove-orphans"))
    _is_gone(world)


def test_compose_as_a_plugin(world):
    """`docker compose` of docker 26."""
    app = Application(world, Client(world.p1, debian13("docker", "compose", "--ansi", "never"), DOCKER_BUILDKIT="0"), "-")
    with app.checked_health():
        ok(app("up", "-d", "db", "web", "--build"))
    shows(app("ps", "--format", "{{.Service}}"), "db", "web")
    ok(app("down", "-v", "--remove-orphans", "-t", "2"))
    _is_gone(world)


def test_compose_1(world):
    app = Application(world, Client(world.p1, (world.p1.programs["docker-compose"], "--ansi", "never")), "_")
    shows(app("version", "--short"), "1.29")
    ok(app("config", "-q"))
    _life(app)


def test_podman_compose(world):
    """podman-compose calls podman, which finds the socket in CONTAINER_HOST."""
    # Podman 4.3 knows no wait for health, and podman-compose asks again for ever.
    knows_health = not world.engine.direct.get("/version").json()["Version"].startswith("4.")
    app = Application(world, Client(world.p1, debian13("podman-compose")), "_", "service_healthy" if knows_health else "service_started")
    shows(app("version"), "podman-compose version 1.3")
    with app.checked_health():
        ok(app("build"))
        ok(app("up", "-d"))
    shows(app("ps"), *(app.name(service) for service in ("db", "api", "web")))
    shows(app("logs", "db"), "db is up")
    says(app("exec", "-T", "api", "cat", "/built"), "built for you")
    ok(app("exec", "-T", "db", "sh", "-c", "echo row > /var/store/table"))
    says(app("exec", "-T", "api", "cat", "/shared/table"), "row", what="services share a volume")
    resolves(lambda *words: app("exec", "-T", "web", *words), "service", "services find each other by alias")
    ok(app("restart", "-t", "2", "web"))
    ok(app("stop", "-t", "2", "web"))
    restarts(app, "start", "web")
    app.write("green")
    with app.checked_health():
        ok(app("up", "-d"))
    shows(app("logs", "web"), "web has green")
    ok(app("down", "-v", "-t", "2"))
    _is_gone(world)
