FROM localhost/bb
ENV A=1 \
    B=2
CMD echo crlf
