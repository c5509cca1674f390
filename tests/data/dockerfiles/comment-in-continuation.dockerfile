FROM localhost/bb
RUN echo one \
# not this
   # nor this \
  two > /out
