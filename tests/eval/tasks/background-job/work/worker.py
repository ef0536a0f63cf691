"""See README.md."""

import hashlib
import time
from pathlib import Path

here = Path(__file__).parent
inbox, outbox = here / "inbox", here / "outbox"
outbox.mkdir(exist_ok=True)
for old in inbox.iterdir():
    if not old.name.startswith("."):
        old.unlink()
(outbox / "ready").write_text("ready\n")
count = 0
while True:
    for job in sorted(inbox.iterdir()):
        if job.name.startswith("."):
            continue
        if job.name == "stop":
            (outbox / "stopped").write_text(f"{count} jobs\n")
            raise SystemExit
        count += 1
        text = job.read_text().strip()
        job.unlink()
        result = outbox / f".{job.name}"
        result.write_text(hashlib.sha256(f"{count}:{text}".encode()).hexdigest()[:16] + "\n")
        result.rename(outbox / job.name)
    time.sleep(0.05)
