FROM localhost/bb AS base
ENV A=base
RUN echo x > /x
FROM base
LABEL from=base
