FROM localhost/bb
RUN --network=none echo x > /out
