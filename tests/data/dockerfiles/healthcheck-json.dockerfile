FROM localhost/bb
HEALTHCHECK CMD ["test", "-e", "/x"]
