"""What is done with the command line clients: days of ordinary work. A flow is a name and a command; its name becomes that of the
samples. `%` in front of a command: on a terminal."""

IMAGE = "localhost/bb:latest"
SERVE = [IMAGE, "sh", "-c", "trap 'exit 0' TERM; sleep 1000 & wait"]


def flow(name, text, *rest):
    return name, [*text.split(), *rest]


# Objects that later flows use: web, appnet, data.
DOCKER = [
    flow("network", "network create appnet"),
    flow("network-options", "network create --driver bridge --internal --label tier=back --subnet 10.91.7.0/24 "
         "--gateway 10.91.7.1 --ip-range 10.91.7.128/25 --opt com.docker.network.driver.mtu=1400 backnet"),
    flow("volume", "volume create --label tier=db data"),
    flow("volume-anonymous", "volume create"),
    flow("run-hello", "run --rm", IMAGE, "echo", "hello"),
    flow("run-stdin", "run --rm -i", IMAGE, "cat"),
    flow("run-terminal", "% run --rm -it -e TERM=xterm", IMAGE, "sh", "-c", "tty"),
    flow("run-ports", "run -d --name web -p 18080:80 -p 127.0.0.1::443 -p 15353:53/udp --expose 9000 "
         "--restart unless-stopped --label app=shop --stop-timeout 3", *SERVE),
    flow("run-publish-all", "run -d --name published -P --expose 8080 --stop-timeout 3", *SERVE),
    flow("run-environment", "run --rm -e COLOUR=blue -e EMPTY= --env-file settings.env", IMAGE, "env"),
    flow("run-volumes", "run --rm -v data:/var/lib/data -v data:/backup:ro -v /cache --tmpfs /run:rw,size=16m,mode=1777",
         IMAGE, "ls"),
    flow("run-workspace", "run --rm -v /workspace:/workspace -w /workspace -u 0:0", IMAGE, "ls"),
    flow("run-workspace-readonly", "run --rm -v /workspace:/src:ro -v data:/out", IMAGE, "ls", "/src"),
    flow("run-mounts", "run --rm --mount type=volume,src=data,dst=/data,readonly --mount type=bind,src=/workspace,dst=/src,readonly "
         "--mount type=tmpfs,dst=/scratch,tmpfs-size=1048576,tmpfs-mode=1770", IMAGE, "ls"),
    flow("create-limits", "create --memory 256m --memory-swap 512m --memory-reservation 128m --cpus 1.5 --pids-limit 200 "
         "--cpu-shares 512 --cpuset-cpus 0-1 --ulimit nofile=512:1024 --shm-size 64m --oom-score-adj 100", IMAGE, "true"),
    flow("run-hardened", "run --rm --cap-drop ALL --cap-add CHOWN --security-opt no-new-privileges --read-only --init "
         "--user 1000:1000 --tmpfs /tmp", IMAGE, "true"),
    flow("run-healthcheck", "run -d --name healthy --health-interval 10s --health-timeout 2s --health-retries 3 "
         "--health-start-period 5s --health-cmd", "test -e /bin/sh || exit 1", *SERVE),
    flow("run-no-healthcheck", "run --rm --no-healthcheck", IMAGE, "true"),
    flow("run-network", "run -d --name db --network appnet --network-alias database --hostname db --dns 10.91.7.1 "
         "--dns-search example.org --dns-option ndots:1 --add-host cache:10.91.7.5", *SERVE),
    flow("run-address", "run --rm --network backnet --ip 10.91.7.20", IMAGE, "true"),
    flow("run-entrypoint", "run --rm --entrypoint /bin/sh -w /tmp -u 1000 --group-add 5", IMAGE, "-c", "pwd"),
    flow("run-logging", "run --rm --log-driver json-file --log-opt max-size=10m --log-opt max-file=3", IMAGE, "true"),
    flow("run-no-logging", "run --rm --log-driver none", IMAGE, "true"),
    flow("run-shared-namespaces", "run --rm --network container:web --pid container:web --volumes-from web:ro", IMAGE, "true"),
    flow("run-no-network", "run --rm --network none --ipc private --cgroupns private", IMAGE, "true"),
    flow("run-stop", "run -d --name job --stop-signal SIGINT --stop-timeout 5 --restart on-failure:3", *SERVE),
    flow("run-sysctl", "run --rm --sysctl net.ipv4.ip_unprivileged_port_start=0", IMAGE, "true"),
    flow("run-pull-never", "run --rm --pull never --platform linux/amd64 --name once", IMAGE, "true"),
    flow("exec", "exec web echo hello"),
    flow("exec-options", "exec -e WORD=one -w /tmp -u 0 web pwd"),
    flow("exec-stdin", "exec -i web cat"),
    flow("exec-terminal", "% exec -it web tty"),
    flow("exec-detached", "exec -d web touch /tmp/made"),
    flow("update-limits", "update --memory 300m --memory-swap 600m --cpus 1 --pids-limit 100 job"),
    flow("update-restart", "update --restart no job"),
    flow("connect", "network connect --alias www appnet healthy"),
    flow("connect-address", "network connect --ip 10.91.7.30 backnet db"),
    flow("disconnect", "network disconnect appnet healthy"),
    flow("disconnect-force", "network disconnect -f backnet db"),
]

PODMAN = [
    flow("network", "network create appnet"),
    flow("network-options", "network create --internal --label tier=back --subnet 10.91.8.0/24 --gateway 10.91.8.1 "
         "--ip-range 10.91.8.128/25 --opt mtu=1400 backnet"),
    flow("volume", "volume create --label tier=db data"),
    flow("run-hello", "run --rm", IMAGE, "echo", "hello"),
    flow("run-stdin", "run --rm -i", IMAGE, "cat"),
    flow("run-terminal", "% run --rm -it", IMAGE, "tty"),
    flow("run-ports", "run -d --name web -p 18081:80 -p 127.0.0.1::443 -p 15354:53/udp --restart on-failure:3 --label app=shop "
         "--stop-timeout 3 --network bridge", *SERVE),
    flow("run-publish-all", "run -d --name published -P --expose 8080 --stop-timeout 3", *SERVE),
    flow("run-environment", "run --rm -e COLOUR=blue -e EMPTY= --env-file settings.env --tz UTC", IMAGE, "env"),
    flow("run-volumes", "run --rm -v data:/var/lib/data -v data:/backup:ro -v /cache --tmpfs /run:rw,size=16m,mode=1777",
         IMAGE, "ls"),
    flow("run-workspace", "run --rm -v /workspace:/workspace -w /workspace", IMAGE, "ls"),
    flow("run-workspace-readonly", "run --rm -v /workspace:/src:ro -v data:/out", IMAGE, "ls", "/src"),
    flow("run-mounts", "run --rm --mount type=volume,src=data,dst=/data,ro --mount type=bind,src=/workspace,dst=/src,ro "
         "--mount type=tmpfs,dst=/scratch,tmpfs-size=1m,tmpfs-mode=1770", IMAGE, "ls"),
    flow("create-limits", "create --memory 256m --memory-swap 512m --memory-reservation 128m --cpus 1.5 --pids-limit 200 "
         "--cpu-shares 512 --cpuset-cpus 0-1 --ulimit nofile=512:1024 --shm-size 64m --oom-score-adj 100", IMAGE, "true"),
    flow("run-hardened", "run --rm --cap-drop all --cap-add chown --security-opt no-new-privileges --read-only --init "
         "--user 1000:1000 --umask 0027", IMAGE, "true"),
    flow("run-healthcheck", "run -d --name healthy --network bridge --health-interval 10s --health-timeout 2s --health-retries 3 "
         "--health-start-period 5s --health-on-failure kill --health-cmd", "test -e /bin/sh || exit 1", *SERVE),
    flow("run-no-healthcheck", "run --rm --no-healthcheck", IMAGE, "true"),
    flow("run-network", "run -d --name db --network appnet:alias=database --hostname db --dns 10.91.8.1 --dns-search example.org "
         "--dns-option ndots:1 --add-host cache:10.91.8.5", *SERVE),
    flow("run-address", "run --rm --network backnet --ip 10.91.8.20 --mac-address 02:42:ac:11:00:02", IMAGE, "true"),
    flow("run-two-networks", "run --rm --network appnet --network backnet", IMAGE, "true"),
    flow("run-entrypoint", "run --rm --entrypoint /bin/sh -w /tmp -u 1000 --group-add 5", IMAGE, "-c", "pwd"),
    flow("run-logging", "run --rm --log-driver k8s-file --log-opt max-size=10m", IMAGE, "true"),
    flow("run-shared-namespaces", "run --rm --network container:web --pid container:web --volumes-from web:ro", IMAGE, "true"),
    flow("run-no-network", "run --rm --network none --ipc private --uts private --cgroupns private", IMAGE, "true"),
    flow("run-keep-id", "run --rm --userns keep-id -v /workspace:/workspace", IMAGE, "id"),
    flow("run-sysctl", "run --rm --sysctl net.ipv4.ip_unprivileged_port_start=0", IMAGE, "true"),
    flow("run-replace", "run -d --replace --name job --pull never --timeout 900", *SERVE),
    flow("run-no-hosts", "run --rm --no-hosts --requires web", IMAGE, "true"),
    flow("pod", "pod create --name shop --label app=shop -p 18082:80"),
    flow("pod-options", "pod create --name back --network appnet --hostname back --share net,ipc --add-host cache:10.91.8.5 "
         "--dns 10.91.8.1 -v data:/data --infra-name back-infra --exit-policy stop"),
    flow("pod-no-infra", "pod create --name bare --infra=false"),
    flow("run-in-pod", "run -d --pod shop --name shop-web", *SERVE),
    flow("run-in-new-pod", "run -d --pod new:made --name made-web", *SERVE),
    flow("create-init-container", "create --pod back --init-ctr once --name back-setup", IMAGE, "true"),
    flow("exec", "exec web echo hello"),
    flow("exec-options", "exec -e WORD=one -w /tmp -u 0 web pwd"),
    flow("exec-stdin", "exec -i web cat"),
    flow("exec-terminal", "% exec -it web tty"),
    flow("exec-detached", "exec -d web touch /tmp/made"),
    flow("update-limits", "update --memory 300m --memory-swap 600m --cpus 1 --pids-limit 100 job"),
    flow("update-restart", "update --restart no job"),
    flow("connect", "network connect --alias www appnet healthy"),
    flow("connect-address", "network connect --ip 10.91.8.30 backnet db"),
    flow("disconnect", "network disconnect appnet healthy"),
]

# In a folder with application.yml as docker-compose.yml.
COMPOSE = [
    flow("up", "up -d"),
    flow("exec", "exec -T db sh -c", "echo row > /var/store/table"),
    flow("exec-options", "exec -T -e WORD=one -w /tmp --user 0 db pwd"),
    flow("run", "run --rm -T -e WORD=two migrate"),
    flow("up-again", "up -d --force-recreate --no-deps web"),
    flow("scale", "up -d --no-deps --scale worker=2 worker"),
]
