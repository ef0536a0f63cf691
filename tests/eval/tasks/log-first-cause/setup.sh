python3 - <<'PY'
import random

generator = random.Random(3)
lines = []


def at(seconds):
    return f"2026-03-17T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}Z"


second = 6 * 3600
order = 48210
while second < 9 * 3600:
    second += generator.randint(2, 9)
    order += 1
    broken = second > 7 * 3600 + 1500
    service = generator.choice(["web", "orders", "billing", "mail", "search", "stock"])
    if broken and service == "orders":
        lines.append((second, "orders ERROR order %d failed: billing did not answer within 2000 ms" % order))
    elif broken and service == "billing":
        lines.append((second, "billing ERROR no connection: pool exhausted (5 of 5 in use, %d waiting)" % generator.randint(20, 90)))
    elif broken and service == "web":
        lines.append((second, "web ERROR 502 POST /order upstream=orders request=%08x" % generator.getrandbits(32)))
    elif broken and service == "mail" and generator.random() < 0.3:
        lines.append((second, "mail WARN queue length %d" % generator.randint(200, 900)))
    else:
        text = {"web": "200 GET /item/%d", "orders": "order %d accepted", "billing": "invoice %d paid", "mail": "sent %d", "search": "query took %d us", "stock": "item %d counted"}[service]
        lines.append((second, f"{service} INFO " + text % generator.randint(1000, 99999)))
for when, text in (
    (6 * 3600 + 600, "search INFO config reloaded: cache_mb 256 -> 512"),
    (7 * 3600 + 120, "stock WARN disk /data at 91 %"),
    (7 * 3600 + 1190, "web INFO deployed version 8.14.2 (was 8.14.1)"),
    (7 * 3600 + 1312, "billing INFO config reloaded: pool_size 50 -> 5, pool_wait_ms 2000 (unchanged)"),
    (7 * 3600 + 1404, "orders INFO config reloaded: billing_timeout_ms 5000 -> 2000"),
    (7 * 3600 + 1502, "orders ERROR order 48903 failed: billing did not answer within 2000 ms"),
    (8 * 3600 + 40, "stock ERROR disk /data at 95 %, cleaning up"),
    (8 * 3600 + 300, "web INFO rolled back to version 8.14.1 (was 8.14.2)"),
):
    lines.append((when, text))
with open("app.log", "w") as file:
    for when, text in sorted(lines, key=lambda line: line[0]):
        file.write(f"{at(when)} {text}\n")
PY
git add -A && git commit -qm "The log"
