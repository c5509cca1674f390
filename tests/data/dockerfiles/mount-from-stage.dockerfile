FROM localhost/bb AS one
RUN echo 1 > /one
FROM localhost/bb
RUN --mount=type=bind,from=one,target=/m cat /m/one > /copied
