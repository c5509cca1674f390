   FROM localhost/bb
	ENV A=tab
  	 LABEL b=c
