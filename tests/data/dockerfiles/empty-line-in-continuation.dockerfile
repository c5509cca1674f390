FROM localhost/bb
RUN echo one \

   
  two > /out
LABEL after=1
