ARG NAME=x
FROM localhost/${NAME:+bb}
LABEL a=b
