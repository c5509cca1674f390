"""A day with docker-compose: an application of three services with volumes, networks and an order of start."""

import os

from check import check, contains, equal, until
from clients import ok, restarts, shows
from world import IMAGE

APPLICATION = """version: "3.8"
services:
  db:
    image: {image}
    command: ["sh", "-c", "echo db is up; trap 'exit 0' TERM; sleep 1000 & wait"]
    volumes: ["store:/var/store"]
    networks: [back]
    environment: {{MODE: test}}
  api:
    image: {image}
    command: ["sh", "-c", "echo api sees $$MODE; trap 'exit 0' TERM; sleep 1000 & wait"]
    environment: ["MODE=production"]
    depends_on: [db]
    networks: [back, front]
    volumes: ["store:/shared:ro", "/scratch"]
  web:
    image: {image}
    command: ["sh", "-c", "echo web is up; trap 'exit 0' TERM; sleep 1000 & wait"]
    depends_on: [api]
    networks: [front]
    ports: ["127.0.0.1::8080"]
  once:
    image: {image}
    command: ["echo", "one-off"]
    networks: [back]
    profiles: [tools]
volumes:
  store:
networks:
  back:
  front:
"""


def test_application(world):
    p1, folder = world.p1, world.p1.home + "/shop"
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/docker-compose.yml", "w") as file:
        file.write(APPLICATION.format(image=IMAGE))

    def compose(*words, **options):
        return p1.compose("--ansi", "never", *words, cwd=folder, **options)

    ok(compose("up", "-d"))
    shows(compose("ps"), "shop_db_1", "shop_api_1", "shop_web_1")
    equal(len(ok(compose("ps", "-q")).out.split()), 3, "each service is listed once")
    shows(compose("logs", "--no-color"), "db is up", "api sees production", "web is up")
    ok(compose("exec", "-T", "db", "sh", "-c", "echo row > /var/store/table"))
    contains(compose("exec", "-T", "api", "cat", "/shared/table").out, "row", "services share a volume")
    # `run` of a service that has containers asks for links, which Podman refuses.
    ok(compose("run", "-d", "--name", "one-off", "once"))
    check(until(lambda: "one-off" in p1.docker("logs", "one-off").out, 5), "run of a one-off command")
    ok(p1.docker("rm", "-f", "one-off"))
    restarts(compose, "restart", "-t", "2", "web")
    ok(compose("stop", "-t", "2", "web"))
    ok(compose("start", "web"))
    shows(compose("port", "web", "8080"), "127.0.0.1:")
    shows(compose("top", "db"), "sleep 1000")
    follower = p1.start(p1.programs["docker-compose"], "--ansi", "never", "logs", "-f", "--no-color", cwd=folder)
    ok(compose("kill", "api"))
    ok(compose("up", "-d"))
    shows(p1.docker("ps", "--filter", "label=com.docker.compose.project=shop", "--format", "{{.Names}}"),
          "shop_db_1", "shop_api_1", "shop_web_1")
    ok(compose("down", "-v", "-t", "2", timeout=120))
    out, _ = follower.communicate(timeout=60)
    contains(out.decode(), "db is up", "logs -f of an application")
    for listing in (("ps", "-aq"), ("volume", "ls", "-q"), ("network", "ls", "-q", "--filter", "name=shop")):
        equal(ok(p1.docker(*listing)).out, "", f"{' '.join(listing[:2])} is empty after down -v")
    world.unharmed()
