FROM localhost/bb
RUN echo one > /out \
