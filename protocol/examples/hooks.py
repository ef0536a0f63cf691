"""A hook of a client: it sees each command before anybody is asked, rewrites one, and denies what removes files.

usage: hooks.py PINTLE [ARGS of serve ...]   (in the folder to work in)
"""
import itertools, json, subprocess, sys
engine = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
ids = itertools.count(1)
messages = map(json.loads, engine.stdout)

def send(message):
    engine.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    engine.stdin.flush()

def ask(method, **params):
    number = next(ids)
    send({"id": number, "method": method, "params": params})
    answer = next(m for m in messages if m.get("id") == number)
    return answer["result"] if "result" in answer else sys.exit(answer["error"]["message"])

def judge(command):
    """An answer to `hook/run`; an empty one lets the call go its way."""
    if "rm " in command:
        return {"decision": "deny", "reason": "nothing is removed here"}
    if command.startswith("make"):
        return {"decision": "allow", "arguments": {"command": "echo pretending: " + command}}
    return {}

ask("initialize", protocol={"name": "pintle", "versions": ["2.0"]})
ask("session/create")
ask("hook/register", points=["beforeToolCall"], tools=["bash"])
ask("turn/start", input=[{"type": "text", "text": "Build it and clean up."}])
for message in messages:
    params = message.get("params", {})
    event = params.get("event", {})
    if message.get("method") == "hook/run":
        answer = judge(params["call"]["arguments"]["command"])
        print(f"hook> {params['call']['arguments']['command']}: {answer.get('decision', 'no opinion')}")
        send({"id": message["id"], "result": answer})
    elif event.get("type") == "item.completed" and event["item"]["type"] == "toolCall":
        item = event["item"]
        print(f"{item['status']}> {item['output']['content'][0]['text'].splitlines()[0]}")
    elif event.get("type") == "turn.completed":
        break
engine.stdin.close()
engine.wait()
