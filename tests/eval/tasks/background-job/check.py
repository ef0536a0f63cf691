import hashlib

from checking import only, passed, read, require

only("result.txt", "outbox/*", "inbox/*", "*.log", "nohup.out", "*.pid")
first = hashlib.sha256(b"1:alpha").hexdigest()[:16]
second = hashlib.sha256(f"2:{first}".encode()).hexdigest()[:16]
require(read("result.txt").strip() == second, "result.txt is not what the worker returns for `second`")
require(read("outbox/first").strip() == first and read("outbox/second").strip() == second, "the worker did not return both results")
require(read("outbox/stopped").strip() == "2 jobs", "the worker was not stopped after two jobs")
passed("two jobs done, and the worker has stopped")
