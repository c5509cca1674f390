 FROM localhost/bb
 LABEL a=b 
