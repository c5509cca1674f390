FROM localhost/bb
CMD echo hello
