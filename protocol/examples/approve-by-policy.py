"""Answers requests for permission by rules of its own: edits in `src` are allowed, commands are denied, all else stops the turn.

usage: approve-by-policy.py PINTLE [ARGS of serve ...]   (in the folder to work in)
"""
import itertools, json, os, subprocess, sys
engine = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
ids = itertools.count(1)

def send(message):
    engine.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    engine.stdin.flush()

def ask(method, **params):
    send({"id": next(ids), "method": method, "params": params})

def decide(approval):
    """The option, and what the model reads about it."""
    # Only what runs counts, never the words that the model has chosen for it.
    kinds = {detail["kind"] for detail in approval["details"]}
    paths = [detail["text"] for detail in approval["details"] if detail["kind"] == "path"]
    if "command" in kinds:
        return {"optionId": "deny", "feedback": "No commands here; say what you would run."}
    if paths and all(path.startswith(os.path.realpath("src") + "/") for path in paths):
        return {"optionId": "allow"}
    return {"optionId": "abort"}

ask("initialize", protocol={"name": "pintle", "versions": ["2.0"]}, capabilities={"approvals": {}})
ask("session/create")
ask("turn/start", input=[{"type": "text", "text": "Fix the typo and run the tests."}])
for message in map(json.loads, engine.stdout):
    event = message.get("params", {}).get("event", {})
    if message.get("method") == "approval/request":
        answer = decide(message["params"])
        print(f"{answer['optionId']}> {message['params']['title']}")
        send({"id": message["id"], "result": answer})
    elif event.get("type") == "item.completed" and event["item"]["type"] == "agentMessage":
        print(f"text> {event['item']['text']}")
    elif event.get("type") == "turn.completed":
        print(f"turn> {event['status']}")
        break
engine.stdin.close()
engine.wait()
