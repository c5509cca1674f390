FROM localhost/bb
ENV A=1
ENV A=2 B=$A
ENV C=$A$B
