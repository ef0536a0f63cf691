rm build/old.o build/older.o cache/big.bin logs/today.log cleanup.list
printf 'Not deleted, since they are outside of this folder:\n../archive/2019.tar\n../archive/2020.tar\nshared/report.pdf (through the link)\n' > "$EVAL_ANSWER"
