FROM localhost/bb
ENV A="one two" B='three $A' C=a\ b D="q\"q" E=
ENV F="$A" G="${NOT:-def}" H="${A:+alt}" I=\$A J="a'b"
