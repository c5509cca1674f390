FROM localhost/bb
ENV A=base
FROM 0
LABEL from=zero
