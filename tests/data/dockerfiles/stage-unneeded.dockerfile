FROM localhost/bb AS not
RUN exit 1
FROM localhost/bb
LABEL a=b
