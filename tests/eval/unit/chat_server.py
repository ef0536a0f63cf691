"""A server of Chat Completions that plays the scripts of cassettes: the n-th reply of a task to the n-th request of its conversation.

    chat_server.py SCRIPTS TASKS     prints its URL, and serves until its stdin ends
"""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from kit import tasks  # noqa: E402


def text_of(content):
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or [])


def chunks(reply, call):
    """The pieces of a reply, as the service streams them."""
    calls = 0
    for block in reply["blocks"]:
        if "text" in block:
            yield {"choices": [{"index": 0, "delta": {"role": "assistant", "content": block["text"]}}]}
        else:
            function = {"name": block["tool"], "arguments": json.dumps(block["arguments"])}
            delta = {"tool_calls": [{"index": calls, "id": f"call_{call}_{calls}", "type": "function", "function": function}]}
            calls += 1
            yield {"choices": [{"index": 0, "delta": delta}]}
    usage = reply.get("usage", {})
    cached = usage.get("cacheReadTokens", 0)
    counts = {
        "prompt_tokens": usage.get("inputTokens", 0) + cached,
        "completion_tokens": usage.get("outputTokens", 0),
        "prompt_tokens_details": {"cached_tokens": cached},
    }
    counts["total_tokens"] = counts["prompt_tokens"] + counts["completion_tokens"]
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls" if calls else "stop"}], "usage": counts}


class Chat(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    scripts = {}

    def do_POST(self):
        messages = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"]
        said = "".join(text_of(message["content"]) for message in messages if message["role"] == "user")
        own = [replies for prompt, replies in self.scripts.items() if prompt in said]
        turn = sum(message["role"] == "assistant" for message in messages)
        if len(own) != 1 or turn >= len(own[0]):
            return self.answer(400, "application/json", json.dumps({"error": {"message": f"no reply {turn} for this conversation"}}))
        lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks(own[0][turn], turn)]
        self.answer(200, "text/event-stream", "".join(lines) + "data: [DONE]\n\n")

    def answer(self, status, kind, body):
        body = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main(scripts, folder):
    for path in Path(scripts).glob("*.json"):
        Chat.scripts[tasks.read_task(Path(folder) / path.stem).prompt] = json.loads(path.read_text())["replies"]
    server = ThreadingHTTPServer(("127.0.0.1", 0), Chat)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
