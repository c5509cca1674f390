FROM localhost/bb AS one
RUN echo 1 > /one
FROM localhost/bb
COPY --from=one /one /copied
COPY --from=0 /one /by-number
FROM scratch
COPY --from=1 /copied /by-number /
