FROM localhost/bb
ENV A=1 \
# the rest

