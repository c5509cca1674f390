# syntax=docker/dockerfile:1
# escape=`
FROM localhost/bb
ENV A=1 \
 B=2
