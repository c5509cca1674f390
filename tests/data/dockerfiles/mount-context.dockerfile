FROM localhost/bb
RUN --mount=type=bind,target=/m,source=. cat /m/a.txt > /copied
