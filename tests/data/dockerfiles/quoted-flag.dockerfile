FROM localhost/bb
COPY --chown="5:6" a.txt /owned
COPY --chmo\d=700 a.txt /mode
