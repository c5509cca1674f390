"""A Debian machine in namespaces of its own: systemd is its process 1, its root is an overlay above a tree of tests/deploy/tree, and all
of it is gone at the end. Network, kernel and time are the host's. Needs root."""

import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from check import until

HERE = Path(__file__).resolve().parent
DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "fuse", "net/tun")
# In namespaces of its own: the tree becomes the root, and systemd process 1. Devices: those that every container has, and no terminal.
BOOT = r"""
set -eu
tree=$1 place=$2 devices=$3
mount -t tmpfs -o mode=755 tmpfs "$place"
mkdir "$place/changes" "$place/work" "$place/root"
mount -t overlay -o "lowerdir=$tree,upperdir=$place/changes,workdir=$place/work" overlay "$place/root"
root=$place/root
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mkdir "$root/dev/pts" "$root/dev/shm" "$root/dev/net"
mount -t devpts -o newinstance,ptmxmode=666,mode=620,gid=5 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
for device in $devices; do
  [ -e "/dev/$device" ] || continue
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir -p "$root/host" "$root/old"
mount --bind "$place.shared" "$root/host"
cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
printf '127.0.0.1 localhost\n' >"$root/etc/hosts"
for unit in e2scrub_reap.service e2scrub_all.timer apt-daily.timer apt-daily-upgrade.timer man-db.timer; do
  ln -sf /dev/null "$root/etc/systemd/system/$unit"
done
cd "$root"
pivot_root . old
mount --make-rprivate /old
umount -l /old
mount --make-rshared /
exec env -i container=podfence-test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system \
  --unit=multi-user.target --log-target=journal --show-status=0
"""


class Machine:
    def __init__(self, release):
        self.tree = subprocess.run([HERE / "tree", release], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
        self.place = Path(tempfile.mkdtemp(prefix="podfence-machine-"))
        self.shared = Path(f"{self.place}.shared")  # /host in there
        self.shared.mkdir(mode=0o755)
        self.cgroup = self._cgroup_root() / self.place.name
        self.process = None
        self.first = None

    @staticmethod
    def _cgroup_root():
        mounted = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines() if line.split()[2] == "cgroup2"]
        if not mounted:
            raise RuntimeError("there is no cgroup2 file system here, which systemd needs")
        own = next(line.split("::")[1] for line in Path("/proc/self/cgroup").read_text().splitlines() if line.startswith("0::"))
        return Path(mounted[0] + own)

    def boot(self):
        self.cgroup.mkdir()
        self.process = subprocess.Popen(
            ["unshare", "--mount", "--uts", "--ipc", "--cgroup", "--pid", "--fork", "--propagation", "private", "--kill-child",
             "bash", "-c", BOOT, "bash", self.tree, str(self.place), " ".join(DEVICES)],
            stdin=subprocess.DEVNULL, stdout=open(self.shared / "boot.log", "wb"), stderr=subprocess.STDOUT, start_new_session=True,
            preexec_fn=lambda: (self.cgroup / "cgroup.procs").write_text("0"))
        if not until(self._is_up, 60, 0.2):
            raise RuntimeError("the machine does not start: " + (self.shared / "boot.log").read_text()[-800:] + self.run(
                "systemctl list-jobs; systemctl --failed", check=False))

    def _is_up(self):
        if not self.first:
            children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
            self.first = children[0] if children else None
        return self.first and self.run("systemctl is-system-running", check=False).strip() in ("running", "degraded")

    def stop(self):
        if self.process:
            self.process.kill()  # process 1 dies with it (--kill-child), and all others with that
            self.process.wait()
        if not until(self._remove_cgroups, 20, 0.2):
            print(f"  {self.cgroup} cannot be removed", flush=True)
        for folder in (self.place, self.shared):
            shutil.rmtree(folder, ignore_errors=True)

    def _remove_cgroups(self):
        try:
            for folder, _, _ in os.walk(self.cgroup, topdown=False):
                os.rmdir(folder)
            return True
        except OSError:
            return False

    def words(self, *words):
        return ["nsenter", f"--target={self.first}", "--mount", "--uts", "--ipc", "--pid", "--cgroup", "--root", "--wdns=/", "--",
                "env", "-i", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", *words]

    def run(self, script, user=None, check=True, data=None, seconds=120):
        """A shell script in there, as root or as an ordinary user with a session's environment; what it says."""
        words = ["bash", "-c", script]
        if user:
            identity = int(self.run(f"id -u {shlex.quote(user)}"))
            words = ["runuser", "-u", user, "--", "env", f"HOME=/home/{user}", f"USER={user}", f"XDG_RUNTIME_DIR=/run/user/{identity}",
                     f"DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/{identity}/bus", "bash", "-c", "cd; " + script]
        ran = subprocess.run(self.words(*words), input=data, stdin=None if data is not None else subprocess.DEVNULL, timeout=seconds,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        text = ran.stdout.decode(errors="replace")
        if check and ran.returncode != 0:
            raise RuntimeError(f"{script[:300]}: exit code {ran.returncode}: {text[-1500:]}")
        return text

    def succeeds(self, script, user=None, seconds=120):
        return self.run(f"({script}) >/dev/null 2>&1 && echo yes || true", user=user, seconds=seconds).strip().endswith("yes")

    def write(self, path, text, mode="644", user="root"):
        folder = shlex.quote(os.path.dirname(path))
        self.run(f"install -d -o {user} {folder} && cat >{shlex.quote(path)} && chmod {mode} {shlex.quote(path)} && "
                 f"chown {user} {shlex.quote(path)}", data=text.encode())

    def add_podman_user(self, user):
        """An ordinary user with lingering, an image from busybox, and podman.socket. Limits need controllers of cgroup2, which hybrid
        hosts have none of."""
        self.run(f"useradd -m -s /bin/bash {user}; loginctl enable-linger {user}")
        identity = self.run(f"id -u {user}").strip()
        if not until(lambda: self.succeeds(f"test -S /run/user/{identity}/bus"), 30, 0.2):
            raise RuntimeError(f"the manager of {user} does not start: " + self.run("systemctl status user@*", check=False))
        self.write(f"/home/{user}/.config/containers/containers.conf",
                   "[containers]\ndefault_ulimits = [\"nofile=1024:4096\", \"nproc=4096:8192\"]\npids_limit = 0\n", user=user)
        self.run(f"chown -R {user}: /home/{user}/.config")
        self.run("mkdir -p t/bin t/etc t/tmp; cp /bin/busybox t/bin; "
                 "for a in $(busybox --list); do [ $a = busybox ] || ln -s busybox t/bin/$a; done; "
                 "echo 'root:x:0:0:root:/root:/bin/sh' >t/etc/passwd; "
                 "tar -C t --owner 0 --group 0 -c . | podman import --change 'CMD [\"/bin/sh\"]' - localhost/hello:latest", user=user)
        self.run("systemctl --user enable --now podman.socket", user=user)
        return identity
