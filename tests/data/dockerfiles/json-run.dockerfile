FROM localhost/bb
RUN ["/bin/sh", "-c", "echo $HOME \\ > /out"]
