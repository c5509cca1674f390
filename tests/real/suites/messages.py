import os, json
from fleet import Client, debian13, docker28, node
from world import IMAGE
from clients import API

def test_scout(world):
    p1 = world.p1
    d26=Client(p1, debian13("docker")); d28=Client(p1, docker28()); p4=Client(p1,("podman","--remote")); p5=Client(p1,(*debian13("podman"),"--remote"))
    c1=Client(p1,(p1.programs["docker-compose"],"--ansi","never")); c2=Client(p1,debian13("docker-compose","--ansi","never")); pc=Client(p1,debian13("podman-compose"))
    def show(name, ran):
        print("##", name, ran.words[-6:], ran.code); print("OUT", repr(ran.out[-1500:])); print("ERR", repr(ran.err[-1500:]), flush=True)
    R=[("-v","/etc:/x"),("--privileged",),("--network","host"),("--cap-add","SYS_ADMIN"),("--device","/dev/fuse"),("--pid","host"),("--security-opt","seccomp=unconfined"),("--name","deadbeefdead1234"),("--sysctl","kernel.msgmax=1"),("--volumes-from",world.neighbour.container)]
    for r in R:
        for n,c in (("d26",d26),("d28",d28),("p4",p4),("p5",p5)):
            show(n, c("run","--rm",*r,IMAGE,"true"))
    folder=p1.home+"/b"; os.makedirs(folder,exist_ok=True)
    open(folder+"/Dockerfile","w").write(f"FROM {IMAGE}\nRUN true\n")
    for n,c in (("d26",d26),("d28",d28)):
        show(n,c("build","-t","x",folder)); show(n,c("buildx","build","-t","x",folder)); show(n,c("swarm","init")); show(n,c("plugin","ls")); show(n,c("service","ls"))
        show(n,c("pull","example.org/x")); show(n,c("tag",IMAGE,"localhost/other:latest")); show(n,c("push",IMAGE)); show(n,c("system","prune","-f")); show(n,c("builder","prune","-f"))
        show(n,c("buildx","ls")); show(n,c("checkpoint","create","web","x")); show(n,c("manifest","inspect","example.org/x")); show(n,c("network","create","-d","macvlan","x")); show(n,c("volume","create","-o","device=/etc","-o","o=bind","-o","type=none","x")); show(n,c("login","-u","x","-p","y","example.org")); show(n, c("rmi",IMAGE))
    for n,c in (("p4",p4),("p5",p5)):
        show(n,c("pull","example.org/x")); show(n,c("tag",IMAGE,"localhost/other:latest")); show(n,c("push",IMAGE)); show(n,c("system","prune","-f")); show(n,c("network","create","-d","macvlan","x")); show(n,c("volume","create","-o","device=/etc","-o","o=bind","-o","type=none","x")); show(n,c("rmi",IMAGE));show(n,c("generate","spec","x")); show(n,c("build","-v","/etc:/x","-t","x",folder)); show(n,c("container","checkpoint","x")); show(n,c("login","-u","x","-p","y","example.org"))
        show(n,c("volume","mount","x")); show(n,c("image","mount",IMAGE)); show(n,c("quadlet","list")); show(n,c("search","example.org/x"))
    for line in ("volumes: ['/etc:/x']","privileged: true","network_mode: host","devices: ['/dev/fuse']","pid: host","build: {context: .}\n    privileged: false"):
        f=p1.home+"/c"; os.makedirs(f,exist_ok=True); open(f+"/Dockerfile","w").write(f"FROM {IMAGE}\nRUN true\n")
        open(f+"/docker-compose.yml","w").write(f"services:\n  one:\n    image: localhost/bb:latest\n    command: ['true']\n    {line}\n")
        for n,c in (("c1",c1),("c2",c2),("pc",pc)):
            if "build" in line and n!="pc": show(n,c("build",cwd=f))
            show(n,c("up","-d",cwd=f)); c("down","-v",cwd=f)
    p1.clear if False else world.clear(p1)
