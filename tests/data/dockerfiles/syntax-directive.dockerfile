# syntax=docker/dockerfile:1.4
FROM localhost/bb
ENV A=1
