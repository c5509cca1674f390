# a comment
# escape=`
FROM localhost/bb
ENV A=1 \
 B=2`
