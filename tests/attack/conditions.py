"""What a machine must have for the effect of some cases to be seen at all."""

import os


def _cgroup2(stage):
    return stage.engine.direct.get("/v4.0.0/libpod/info").json()["host"]["cgroupVersion"] == "v2"


def _mqueue(_):
    return os.path.exists("/dev/mqueue")


CONDITIONS = {"": lambda _: True, "cgroup2": _cgroup2, "/dev/mqueue": _mqueue}


def met(name, stage):
    return CONDITIONS[name](stage)
