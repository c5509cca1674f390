FROM localhost/bb
RUN <<EOF
#!/bin/sh
echo script > /out
EOF
