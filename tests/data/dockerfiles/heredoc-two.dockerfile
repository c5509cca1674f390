FROM localhost/bb
RUN cat <<A > /a && cat <<B > /b
one
A
two
B
CMD x
