FROM localhost/bb
RUN echo "a  b" 'c  d' e\ f "g\"h" `echo i` $(echo j) > /out
RUN A=1; echo "$A ${A:-b} $((1<<2))" > /out2
