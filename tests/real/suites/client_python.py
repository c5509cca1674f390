"""Libraries for Python: docker-py of Debian 12 and 13, podman-py."""

from fleet import Client, debian13, run_program
from world import IMAGE


def _day(world, words, name):
    told = {"IMAGE": IMAGE, "REGISTRY": world.engine.registry_name, **({} if world.bare else {"FENCED": "1"})}
    run_program(Client(world.p1, words, **told), f"python/{name}")
    world.clear(world.p1)
    world.unharmed()


def test_docker_py_5(world):
    _day(world, ("/usr/bin/python3",), "docker_day.py")


def test_docker_py_7(world):
    _day(world, debian13("/usr/bin/python3"), "docker_day.py")


def test_podman_py_5(world):
    _day(world, debian13("/usr/bin/python3"), "podman_day.py")
