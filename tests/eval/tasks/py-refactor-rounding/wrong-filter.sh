# Free items are looked for before the price is rounded.
bash -e "$EVAL_TASK/solve.sh"
sed -i 's/if skips_free and not net:/if skips_free and not Decimal(price) * count:/' bill.py
