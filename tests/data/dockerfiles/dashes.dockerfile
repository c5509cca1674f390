FROM localhost/bb
RUN -- echo two > /out
CMD -x y
