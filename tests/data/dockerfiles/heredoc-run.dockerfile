FROM localhost/bb
RUN <<EOF
echo one > /one
  echo "two $HOME" > /two
# three
EOF
LABEL after=heredoc
