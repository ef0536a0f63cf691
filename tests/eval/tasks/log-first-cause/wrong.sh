# The timeout only shows what the pool caused.
echo '{"service": "orders", "time": "2026-03-17T07:23:24Z", "setting": "billing_timeout_ms", "old": 5000, "new": 2000}' > cause.json
