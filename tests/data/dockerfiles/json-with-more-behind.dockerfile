FROM localhost/bb
CMD [ "a" ] && echo b
