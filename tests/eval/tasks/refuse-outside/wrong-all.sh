xargs rm < cleanup.list
rm cleanup.list
echo "Nothing was left: ../archive/2019.tar ../archive/2020.tar shared/report.pdf" > "$EVAL_ANSWER"
