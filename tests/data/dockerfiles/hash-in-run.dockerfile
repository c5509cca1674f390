FROM localhost/bb
RUN echo a # b > /c; echo d > /e
RUN echo "#not" > /f
