# escape=`
FROM localhost/bb
RUN echo one `
  two > /out
RUN echo C:\\dir\\x > /path
CMD ["a\\b"]
