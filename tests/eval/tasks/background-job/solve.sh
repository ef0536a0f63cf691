python3 worker.py &
wait_for() { until [ -e "outbox/$1" ]; do sleep 0.02; done; }
send() { printf '%s\n' "$2" > "job.tmp" && mv job.tmp "inbox/$1"; }
wait_for ready
send first alpha
wait_for first
send second "$(cat outbox/first)"
wait_for second
cp outbox/second result.txt
send stop ""
wait_for stopped
wait
