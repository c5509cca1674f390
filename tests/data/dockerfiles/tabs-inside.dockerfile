FROM localhost/bb
RUN	echo	a		b > /out
CMD	echo		x
