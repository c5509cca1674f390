FROM localhost/bb
RUN echo one \
  two \
	three > /out
