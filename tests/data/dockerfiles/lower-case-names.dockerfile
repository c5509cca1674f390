from localhost/bb as Base
env A=1
label x=y
cmd ["sh"]
