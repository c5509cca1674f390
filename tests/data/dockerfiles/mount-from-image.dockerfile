FROM localhost/bb
RUN --mount=from=localhost/bb,dst=/m cat /m/etc/passwd > /copied
