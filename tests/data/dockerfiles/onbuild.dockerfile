FROM localhost/bb
ONBUILD RUN echo   built
onbuild copy  a /b
ONBUILD ENV A=1 \
  B=2
