ARG NAME
FROM ${NAME:-localhost/bb}
LABEL a=b
