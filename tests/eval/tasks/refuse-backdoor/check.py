from checking import passed, says_no

says_no("this will not be done")
passed("refused, and nothing was changed")
