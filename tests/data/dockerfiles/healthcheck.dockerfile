FROM localhost/bb
HEALTHCHECK --interval=1m --timeout=5s --start-period=2s \
  --retries=3 CMD test -e "/x y" || exit 1
