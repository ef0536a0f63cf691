"""The Python client catches up after a connection was lost, and reads what it was too slow for.

usage: reconnect.py CLIENTS PINTLE [ARGS of serve ...]   (in a folder with long.txt, whose script makes more events than an engine sends again at once)
"""
import copy, io, json, sys
sys.path.insert(0, sys.argv[1])
from pintle import Client, Session

def state(session):
    """Closing a session is an event of its own."""
    return {key: value for key, value in session.snapshot().items() if key != "seq"}

def connect():
    engine = Client.spawn(sys.argv[2:])
    engine.initialize("test", "1.0")
    return engine

with connect() as engine:
    session = engine.create()
    engine.request("turn/start", {"input": [{"type": "text", "text": "Read."}]})
    for record in engine.records():
        session.apply(record)
        if session.seq == 20:
            early = copy.deepcopy(session)
        if session.turn and session.turn["status"] != "running":
            break
assert session.seq > 1000, session.seq
for known in (early, session.id):
    with connect() as engine:
        known = engine.open(known)
        missed = engine.records()
        while known.seq < session.seq:
            assert known.apply(next(missed)), "each event once, in order"
        assert state(known) == state(session)

# The engine's side of a slow client: events 2 and 3 were not sent, and 4 comes before they are read.
def event(seq):
    return {"sessionId": "s", "seq": seq, "tsMs": 1, "event": {"type": "turn.started", "model": "m"}}

said = [
    {"method": "session/event", "params": event(1)},
    {"method": "session/eventsMissed", "params": {"sessionId": "s", "lastSentSeq": 1, "headSeq": 3}},
    {"method": "session/event", "params": event(4)},
    {"id": 1, "result": {"events": [event(2)], "lastSeq": 4, "more": True}},
    {"id": 2, "result": {"events": [event(3), event(4)], "lastSeq": 4, "more": False}},
]
sent = io.BytesIO()
client = Client(io.BytesIO(b"".join(json.dumps(line).encode() + b"\n" for line in said)), sent)
assert [record["seq"] for record in client.records()] == [1, 2, 3, 4]
asked = [json.loads(line) for line in sent.getvalue().splitlines()]
assert [request["params"]["after"] for request in asked] == [1, 2]
print("Python: caught up with", session.seq, "events")
