"""Carries a case out: puts values in the place of names in braces, sends the requests, and looks for the effect."""

import io
import json
import re
import tarfile
from pathlib import Path

from clients import versioned, wait_for_end
from wire import Answer, Closed, query, request

PLACEHOLDER = re.compile(r"\{([A-Z][A-Z0-9_]*)\}")
NOTHING = object()


def tar_of(files):
    """An archive of text files; a dictionary in the place of a text is an archive within the archive."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, text in files.items():
            data = text.encode() if isinstance(text, str) else tar_of(text)
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def filled(value, values):
    """The value with every {NAME} replaced; an unknown name is an error of the case."""
    if isinstance(value, str):
        alone = PLACEHOLDER.fullmatch(value)
        return values[alone[1]] if alone else PLACEHOLDER.sub(lambda match: str(values[match[1]]), value)
    if isinstance(value, list):
        return [filled(one, values) for one in value]
    if isinstance(value, dict):
        return {filled(key, values): filled(one, values) for key, one in value.items()}
    return value


def pointed(document, pointer):
    """What a JSON pointer points at, NOTHING where there is nothing."""
    for part in pointer.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        if isinstance(document, list) and part.isdigit() and int(part) < len(document):
            document = document[int(part)]
        elif isinstance(document, dict) and part in document:
            document = document[part]
        else:
            return NOTHING
    return document


def bytes_of(step):
    """The request of a step whose names are filled in."""
    if "raw" in step:
        return "\r\n".join(step["raw"]).encode()
    method, target = step["send"].split(" ", 1)
    target = versioned(target) + (query(**step["query"]) if "query" in step else "")
    fields = dict(step.get("fields", {}))
    content = step.get("content")
    if "text" in step:
        content = step["text"].encode()
    if "tar" in step:
        content = tar_of(step["tar"])
        fields.setdefault("Content-Type", "application/x-tar")
    if "input" in step:
        fields |= {"Connection": "Upgrade", "Upgrade": "tcp"}
    if step.get("chunked"):
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        fields["Transfer-Encoding"] = "chunked"
        content = b"%x\r\n%s\r\n0\r\n\r\n" % (len(data), data)
    return request(method, target, content, fields.items())


def _whatever_comes(connection):
    """All bytes until the peer ends or is silent; for answers that have no end of their own."""
    try:
        while connection.more():
            pass
    except (TimeoutError, ConnectionResetError):
        pass
    return connection.buffer


def perform(socket, step):
    """Sends one step; the answer, with everything that follows it where the step streams."""
    with socket.connect(60.0) as connection:
        connection.send(bytes_of(step))
        if not step.keys() & {"raw", "input", "seconds"}:
            return connection.receive(head_only=step["send"].startswith("HEAD "))
        try:
            status, fields = connection.head()
        except (Closed, ConnectionResetError):
            return Answer(0, [], b"")
        connection.socket.settimeout(step.get("seconds", 2))
        if "input" in step:
            connection.send(step["input"].encode())
        return Answer(status, fields, _whatever_comes(connection))


def follow(socket, steps, values):
    """The steps in their order, up to the first that is refused. What they keep goes into `values`."""
    answer = None
    for step in steps:
        answer = perform(socket, filled(step, values))
        if not 100 < answer.status < 400:
            break
        for name, pointer in step.get("keep", {}).items():
            values[name] = pointed(answer.json(), pointer)
            values[f"{name}_SHORT"] = values[name][:12]
            values[f"{name}_FEW"] = values[name][:6]  # too few digits to be taken for an id
    return answer


def output_of(socket, name):
    """Starts the container and reads what it writes until it ends; "" when it does not start."""
    if socket.post(versioned(f"/containers/{name}/start")).status >= 400:
        return ""
    wait_for_end(socket, name, timeout=20)
    return socket.get(versioned(f"/libpod/containers/{name}/logs?stdout=true&stderr=true")).text


def listening(port):
    """Does anything listen on that port at an address other than the loopback's?"""
    found = False
    for file, loopback in (("tcp", "0100007F"), ("tcp6", "00000000000000000000000001000000")):
        for line in Path(f"/proc/net/{file}").read_text().splitlines()[1:]:
            local, state = line.split()[1], line.split()[3]
            address, number = local.split(":")
            found |= state == "0A" and int(number, 16) == int(port) and address != loopback
    return found


def holds(answer, claims):
    """Do all claims about an answer hold?"""
    if "status" in claims and answer.status != claims["status"]:
        return False
    if "holds" in claims and claims["holds"] not in answer.text:
        return False
    if "at" not in claims:
        return True
    if answer.status >= 400:
        return False
    found = pointed(answer.json(), claims["at"])
    if "is not" in claims:
        return found is not NOTHING and found != claims["is not"]
    if "has" in claims:
        return isinstance(found, list) and claims["has"] in found
    return found == claims["is"]


def on_host(directory, effect, account):
    path = Path(directory) / effect["host"]
    if "exists" in effect:
        return path.exists() == effect["exists"]
    if "owner" in effect:
        return path.stat().st_uid != account.pw_uid
    return path.is_file() and effect["holds"] in path.read_text(errors="replace")


def occurred(effect, values, answer, output, stage):
    """Has the effect occurred?"""
    effect = filled(effect, values)
    if "output" in effect:
        return effect["output"] in output
    if "answer" in effect:
        return holds(answer, effect["answer"])
    if "host" in effect:
        return on_host(values["HOST"], effect, stage.engine.account)
    if "listens" in effect:
        return listening(effect["listens"])
    if "asked" in effect:
        return stage.listener.was_asked(effect["asked"])
    method, target = effect["engine"].split(" ", 1)
    return holds(stage.engine.direct.call(method, versioned(target)), effect)
