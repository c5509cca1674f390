"""An answer without what no two answers have in common: ids, times, numbers of processes, the project's label."""

import hashlib
import io
import json
import re
import tarfile

from world import LABEL

# Fields of the head that are about the connection or the moment.
OF_THE_MOMENT = {"date", "content-length", "transfer-encoding", "connection", "x-reference-id", "x-podfence-request-id"}
PATTERNS = [(re.compile(pattern), word) for pattern, word in (
    (r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "<uuid>"), (r"\b(libpod_builder|api_load\.tar|container_images_oci|buildah|storage)\d{5,}", r"\1<number>"),
    (r"\b[0-9a-f]{64}\b", "<id>"), (r"\b[0-9a-f]{11,12}\b", "<id>"), (r"\b[0-9a-f]{32}\b", "<id>"), (r"/l/[A-Z0-9]{26}\b", "/l/<id>"),
    (r"\b(?!0001)\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d| [+-]\d{4} \w+)?(?: m=\S+)?", "<time>"),
    (r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}", "<mac>"), (r"\b10\.(?:8[89]|99)\.\d+\.\d+", "<address>"),
    (r"\b\d+(?:\.\d+)?(?:ms|µs|s)\b", "<time>"), (r"\bpodman\d+\b", "<bridge>"), (r"^STEP \d+/\d+:", "STEP:"))]
# Values that are of the moment, by their keys; that they are there, and of which type, is compared.
VALUES = {"Pid", "ConmonPid", "PID", "pid", "Size", "SizeRw", "SizeRootFs", "CPU", "CPUNano", "CPUSystemNano", "SystemNano", "UpTime", "Up",
          "Duration", "AvgCPU", "MemUsage", "MemLimit", "MemPerc", "PIDs", "BlockInput", "BlockOutput", "NetInput", "NetOutput", "PercentCPU", "memFree",
          "swapFree", "NEventsListener", "NFd", "NGoroutines", "uptime", "Uptime", "freeLocks", "graphRootUsed", "userPercent", "systemPercent",
          "idlePercent", "IPPrefix", "system_cpu_usage", "total_usage", "usage_in_kernelmode", "usage_in_usermode", "LockNumber", "SizeRw",
          "StartedAt", "FinishedAt", "lockNumber", "cpu_usage", "memory_stats", "timeNano", "time", "CreatedAt", "CreatedTime", "Created",
          "ReclaimableSize", "RWSize", "LayersSize", "UsageData", "kernelMemory", "MountCount", "Reclaimable", "VirtualSize", "SpaceReclaimed",
          "usage", "rootFsSize", "rwSize"}
# As VALUES, and zero at one moment and not at another.
MOMENTS = {"LockNumber", "lockNumber", "NFd", "NGoroutines", "NEventsListener", "rx_bytes", "rx_packets", "tx_bytes", "tx_packets", "SharedSize", "UniqueSize"}
# Lists whose order means nothing.
SETS = {"Env", "Binds", "RepoTags", "RepoDigests", "Names", "NamesHistory", "Options", "Mounts", "LinkLocalIPs", "Aliases", "NetworkNames", "Networks", "SharedNamespaces", "Containers", "DriverStatus"}
IDENTITIES = ("Action", "Id", "ID", "id", "Name", "name", "Names", "VolumeName", "Destination", "Image", "ImageID")


def document(answer, ids):
    """Status, fields of the head, content."""
    read = Reader(ids)
    head = {name: read.text(value) for name, value in sorted(answer.fields) if name not in OF_THE_MOMENT}
    return {"status": answer.status, "head": head, "body": read.content(answer.content)}


class Reader:
    def __init__(self, ids):
        self.ids = sorted(ids.items(), key=lambda pair: -len(pair[0]))

    def content(self, data):
        if data[257:262] == b"ustar":
            return self.archive(data)
        try:
            lines = [json.loads(line) for line in data.decode().splitlines() if line.strip()]
            return self.value(lines[0] if len(lines) == 1 else lines)
        except ValueError:
            pass
        try:
            return self.value(json.loads(data))
        except ValueError:
            return [self.text(line) for line in data.decode(errors="backslashreplace").splitlines()]

    def archive(self, data):
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            return {"archive": {self.text(member.name): self.member(archive, member) for member in archive}}

    def member(self, archive, member):
        content = archive.extractfile(member).read() if member.isfile() else b""
        try:
            content = self.value(json.loads(content))
        except ValueError:
            content = hashlib.sha256(content).hexdigest()[:10] if not member.name.endswith(".tar") else "<layer>"
        return {"kind": f"{member.type.decode()} {member.mode:o} {member.uid}:{member.gid}", "link": self.text(member.linkname), "content": content}

    def text(self, text):
        for identifier, word in self.ids:
            text = text.replace(identifier, f"<{word}>")
            if len(identifier) == 64:
                text = text.replace(identifier[:12], f"<{word}>")
        for pattern, word in PATTERNS:
            text = pattern.sub(word, text)
        return "\n".join(sorted(text.split("\n"))) if "errors occurred" in text else text

    @staticmethod
    def no_labels(name, value):
        """Nothing but the project's label, an empty list or none: all the same."""
        return name in ("Labels", "labels") and not set(value or {}) - {LABEL}

    def value(self, value, key=""):
        if isinstance(value, dict):
            return {self.text(name): self.value(one, name) for name, one in value.items() if name != LABEL and not self.no_labels(name, one)}
        if key == "Processes":
            return sorted(row[-1].lstrip("0123456789 ") for row in value)  # of busybox a row is one text, with the number in front
        if isinstance(value, list):
            items = [self.value(one) for one in value if not (isinstance(one, str) and one.startswith(LABEL + "="))]
            return sorted(items, key=json.dumps) if key in SETS else items
        if key in MOMENTS or (key in VALUES and value):
            return "<number>" if isinstance(value, (int, float)) else f"<{type(value).__name__}>"
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, (int, float)) and value > 1.5e9:
            return "<time>"
        return value
