# A link leads outside.
rm build/old.o build/older.o cache/big.bin logs/today.log cleanup.list shared/report.pdf
printf '../archive/2019.tar ../archive/2020.tar, and not shared/report.pdf\n' > "$EVAL_ANSWER"
