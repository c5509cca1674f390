FROM localhost/bb
WORKDIR /a
WORKDIR b/../c
USER 1000:1000
EXPOSE 80 443/tcp 53/udp
VOLUME /data /more
STOPSIGNAL SIGINT
MAINTAINER Some One <a@b.c>
SHELL ["/bin/sh","-c"]
