FROM localhost/bb
ENV A one two  three
ENV B "quoted" 'text'
ENV C $A-${B}
