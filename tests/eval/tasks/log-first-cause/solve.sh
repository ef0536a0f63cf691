echo '{"service": "billing", "time": "2026-03-17T07:21:52Z", "setting": "pool_size", "old": 50, "new": 5}' > cause.json
