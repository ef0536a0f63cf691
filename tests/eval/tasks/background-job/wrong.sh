# The worker is left running, and ends with whoever started it.
sed '/^send stop/,$d' "$EVAL_TASK/solve.sh" > ../unstopped.sh
sed -i 's/^python3 worker.py &/python3 worker.py \&\nworker=$!/' ../unstopped.sh
echo 'kill $worker' >> ../unstopped.sh
bash -e ../unstopped.sh
