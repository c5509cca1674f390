# first
#FROM nothing
FROM localhost/bb
  # indented
LABEL a=b #=no-comment
#
CMD ["x"]
