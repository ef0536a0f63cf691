"""Gives each folder the same task, all at once, in one engine, and says how each went.

usage: fan-out.py TASK FOLDER [FOLDER ...] -- PINTLE [ARGS of serve ...]
"""
import itertools, json, os, subprocess, sys
cut = sys.argv.index("--")
task, folders = sys.argv[1], sys.argv[2:cut]
engine = subprocess.Popen(sys.argv[cut + 1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
ids = itertools.count(1)

def ask(method, **params):
    number = next(ids)
    request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    engine.stdin.write(json.dumps(request) + "\n")
    engine.stdin.flush()
    return number

messages = map(json.loads, engine.stdout)

def answer_to(number):
    message = next(m for m in messages if m.get("id") == number)
    return message["result"] if "result" in message else sys.exit(message["error"]["message"])

answer_to(ask("initialize", protocol={"name": "pintle", "versions": ["2.0"]}))
sessions = {}
for folder in folders:
    created = answer_to(ask("session/create", cwd=os.path.realpath(folder), title=folder))
    sessions[created["sessionId"]] = folder
for session in sessions:
    ask("turn/start", sessionId=session, input=[{"type": "text", "text": task}])
said, results = {}, {}
while len(results) < len(sessions):
    params = next(messages).get("params", {})
    event = params.get("event", {})
    if event.get("type") == "item.completed" and event["item"]["type"] == "agentMessage":
        said[params["sessionId"]] = event["item"]["text"]
    elif event.get("type") == "turn.completed":
        results[params["sessionId"]] = event["status"]
for session, folder in sessions.items():
    print(f"{folder}: {results[session]}: {said[session]}")
answer_to(ask("shutdown"))
