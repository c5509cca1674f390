ARG TAG=latest
ARG UNUSED
FROM localhost/bb:$TAG
ARG TAG
ARG X=1 Y="2 3"
ARG Z=${X}${Y}
ENV T=$TAG X=$X Y=$Y Z=$Z
