"""Goes back to before a message, with the files, looks at what that changes first, and takes another way.

usage: rewind.py PINTLE [ARGS of serve ...]   (in the folder to work in)
"""
import itertools, json, pathlib, subprocess, sys
engine = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
ids = itertools.count(1)
messages = map(json.loads, engine.stdout)

def ask(method, **params):
    number = next(ids)
    request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    engine.stdin.write(json.dumps(request) + "\n")
    engine.stdin.flush()
    answer = next(m for m in messages if m.get("id") == number)
    return answer["result"] if "result" in answer else sys.exit(answer["error"]["message"])

def prompt(text):
    """Says something, waits for the end of the turn, and returns the message's id."""
    started = ask("turn/start", input=[{"type": "text", "text": text}])
    next(m for m in messages if m.get("params", {}).get("event", {}).get("type") == "turn.completed")
    print(f"{text}\n  note.txt: {pathlib.Path('note.txt').read_text().strip()}")
    return started["itemId"]

def tree():
    """The history, with a star before what is on the current path."""
    for node in ask("session/tree")["nodes"]:
        print(f"  {'*' if node['current'] else ' '} {node['text']}")

ask("initialize", protocol={"name": "pintle", "versions": ["2.0"]})
ask("session/create", config={"permissionMode": "autoEdit"})
prompt("Fix the typo.")
shout = prompt("Make it loud.")
would = ask("session/rewind", to={"itemId": shout}, scope="both", dryRun=True)
print(f"would change {len(would['files'])} file, and drop {len(would['dropped'])} items")
back = ask("session/rewind", to={"itemId": shout}, scope="both")
print(f"went back\n  note.txt: {pathlib.Path('note.txt').read_text().strip()}")
prompt("Make it polite.")
tree()
# Nothing is lost: `fromSeq` leads to where the session was.
ask("session/rewind", to={"seq": back["fromSeq"]}, scope="conversation")
tree()
engine.stdin.close()
engine.wait()
