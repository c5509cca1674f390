FROM localhost/bb
RUN cat > /out <<"EOF"
$A \
  kept
EOF
RUN cat <<-END > /tabs
	x
	END
