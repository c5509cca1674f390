FROM localhost/bb
RUN --mount=type=tmpfs,target=/m echo x > /m/x && ls /m > /listed
