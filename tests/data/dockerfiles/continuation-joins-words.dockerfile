FROM localhost/bb
ENV LONG=ab\
cd EVEN=lo\
  X=nger
RU\
N echo joined > /out
