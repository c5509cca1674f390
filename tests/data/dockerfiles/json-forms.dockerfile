FROM localhost/bb
ENTRYPOINT ["/bin/sh", "-c" , "echo \"x\" \u0041\t"]
CMD [ "a", "b c" ]
VOLUME ["/v1", "/v 2"]
SHELL ["/bin/sh", "-ec"]
