FROM localhost/bb
LABEL bom=yes
