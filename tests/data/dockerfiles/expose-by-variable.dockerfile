FROM localhost/bb
ENV P="80 81"
EXPOSE $P 90
