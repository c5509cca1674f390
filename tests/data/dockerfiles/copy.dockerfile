FROM localhost/bb
COPY a.txt b.txt /dst/
COPY ["a.txt", "/with space/x y"]
ADD --chown=5:6 a.txt /owned
COPY --chmod=700 a.txt /mode
COPY [ab].txt /glob/
COPY ./sub /sub
ENV N=a
COPY ${N}.txt /variable
