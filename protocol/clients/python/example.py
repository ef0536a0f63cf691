"""A whole round with the typed client: prompt, stream, approve, steer, diff, stop, resume.

usage: example.py PINTLE [ARGS of serve ...]   (in the folder to work in)
"""

from __future__ import annotations

import sys

from pintle import Approval, ApprovalAnswer, Client, Input, Item, Session

steers = ["be brief"]


def text(words: str) -> list[Input]:
    return [{"type": "text", "text": words}]


with Client.spawn(sys.argv[1:]) as engine:

    def approve(asked: Approval) -> ApprovalAnswer:
        print(f"asked> {asked['title']}: {asked['reason']}")
        if steers:
            engine.request("turn/steer", {"input": text(steers.pop())})
        return {"optionId": "allow"}

    def show(item: Item) -> None:
        if item["type"] == "userMessage" and item["content"][0]["type"] == "text":
            print(f"read> {item['content'][0]['text']}")
        if item["type"] == "toolCall" and "output" in item:
            for change in item["output"].get("details", {}).get("changes", []):
                name = change["path"].split("/")[-1]
                print(f"diff> {name} +{change['added']} -{change['removed']}\n{change['diff']}")

    def follow(session: Session, stop: bool = False) -> None:
        """Reads events to the end of the turn."""
        for record in engine.records():
            session.apply(record)
            event = record["event"]
            if event["type"] == "item.delta" and event["field"] in ("text", "output"):
                print(f"{event['field']}> {event['text']}")
                if stop and event["field"] == "output":
                    engine.request("turn/interrupt")
            elif event["type"] == "item.completed":
                show(event["item"])
            elif event["type"] == "turn.completed":
                print(f"turn> {event['status']}")
                return

    engine.on("approval/request", approve)
    print("engine>", engine.initialize("example", "1.0", {"approvals": {}})["engine"]["name"])
    session = engine.create()
    engine.request("turn/start", {"input": text("fix the greeting")})
    follow(session)
    engine.request("turn/start", {"input": text("now something long")})
    follow(session, stop=True)
    engine.request("session/close")
    opened = engine.request("session/open", {"sessionId": session.id, "fromSeq": session.seq})
    print(f"resumed> {opened['state']['value']}, {len(opened.get('queue', []))} waiting")
