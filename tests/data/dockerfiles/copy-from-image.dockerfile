FROM scratch
COPY --from=localhost/bb /etc/passwd /p
