FROM localhost/bb
CMD echo end