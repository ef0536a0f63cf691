"""A whole round by hand: prompt, stream, approve, steer, diff, stop, resume.

usage: round.py PINTLE [ARGS of serve ...]   (in the folder to work in)
"""
import itertools, json, subprocess, sys
engine = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
ids = itertools.count(1)

def send(message):
    engine.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    engine.stdin.flush()

def ask(method, **params):
    number = next(ids)
    send({"id": number, "method": method, "params": params})
    return number

messages = map(json.loads, engine.stdout)

def answer_to(number):
    return next(m["result"] for m in messages if m.get("id") == number and "result" in m)

def text(words):
    return [{"type": "text", "text": words}]

def follow(steer=None, stop=False):
    """Reads events to the end of the turn, and steers, approves and stops on the way."""
    for message in messages:
        params = message.get("params", {})
        event = params.get("event", {})
        kind = event.get("type", message.get("method"))
        if kind == "item.delta" and event["field"] in ("text", "output"):
            print(f"{event['field']}> {event['text']}")
            if stop and event["field"] == "output":
                ask("turn/interrupt")
        elif kind == "approval/request":
            print(f"asked> {params['title']}: {params['reason']}")
            if steer:
                ask("turn/steer", input=text(steer))
            send({"id": message["id"], "result": {"optionId": "allow"}})
        elif kind == "item.completed":
            item = event["item"]
            if item["type"] == "userMessage":
                print(f"read> {item['content'][0]['text']}")
            for change in item.get("output", {}).get("details", {}).get("changes", []):
                name = change["path"].split("/")[-1]
                print(f"diff> {name} +{change['added']} -{change['removed']}\n{change['diff']}")
        elif kind == "turn.completed":
            return print(f"turn> {event['status']}")

hello = ask("initialize", protocol={"name": "pintle", "versions": ["2.0"]}, capabilities={"approvals": {}})
print("engine>", answer_to(hello)["engine"]["name"])
session = answer_to(ask("session/create"))["sessionId"]
ask("turn/start", input=text("fix the greeting"))
follow(steer="be brief")
ask("turn/start", input=text("now something long"))
follow(stop=True)
answer_to(ask("session/close"))
opened = answer_to(ask("session/open", sessionId=session, fromSeq=0))
print(f"resumed> {opened['state']['value']}, {len(opened['queue'])} waiting")
