FROM localhost/bb
LABEL a=b "c d"="e f" g='h i'
LABEL old form of label
LABEL multi="x\
  y" z=1
LABEL org.x/y-z_0=v
