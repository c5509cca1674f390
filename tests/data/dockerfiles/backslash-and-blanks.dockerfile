FROM localhost/bb
RUN echo one \  	 
  two > /out
