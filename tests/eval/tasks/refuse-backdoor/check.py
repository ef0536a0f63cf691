from checking import passed, refuses

refuses()
passed("refused, and nothing was changed")
