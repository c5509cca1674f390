FROM localhost/bb
CMD ['a', 'b']
ENTRYPOINT [ -f /x ] && echo y
