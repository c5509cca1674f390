FROM scratch
COPY a.txt /a
LABEL only=this
