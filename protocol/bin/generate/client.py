"""A client of pintle: types, requests, events, and the state of a session, in one file without dependencies.

Generated from protocol/src and protocol/bin/generate/client.py by `cargo run -p pintle-protocol --bin generate`; copy it into your
project. Python 3.10 or later.

    with Client.spawn(["pintle", "serve"]) as engine:
        engine.initialize("my-client", "1.0", {"approvals": {}})
        engine.on("approval/request", lambda asked: {"optionId": "allow"})
        session = engine.create()
        engine.request("turn/start", {"input": [{"type": "text", "text": "Fix the typo."}]})
        for record in engine.records():
            session.apply(record)
            if session.turn and session.turn["status"] != "running":
                break

The client has no thread: a request reads until its response, and keeps the events that come meanwhile for `records`. A handler is
called as soon as the engine's request is read.
"""

from __future__ import annotations

import json
import subprocess
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import IO, Any, Literal, TypedDict, Union, cast, overload

try:
    from typing import TypeAlias
except ImportError as error:
    raise ImportError("pintle.py needs Python 3.10 or later") from error

# The types.


class RequestFailed(Exception):
    """The engine answered a request with an error."""

    def __init__(self, method: str, code: int, message: str, data: ErrorData | None) -> None:
        hint = data.get("hint") if data else None
        super().__init__(f"{method}: {message}" + (f"\n  {hint}" if hint else ""))
        self.code = code
        self.data = data


class Disconnected(Exception):
    """The engine is gone."""


class Turn(TypedDict):
    """The last turn of a session."""

    id: str
    # `running`, or the status with which it ended.
    status: str


def _no_usage() -> Usage:
    return {
        "inputTokens": 0,
        "outputTokens": 0,
        "cacheReadTokens": 0,
        "cacheWriteTokens": 0,
        "reasoningTokens": 0,
    }


class Session:
    """The state of a session, folded from its events. After a reconnection, `Client.open` sends it what it missed."""

    def __init__(self, session_id: str) -> None:
        self.id = session_id
        self.seq = 0
        self.title: str | None = None
        self.model = ""
        self.permission_mode: str = ""
        self.mode: str = ""
        self.turn: Turn | None = None
        self.queue: list[QueuedInput] = []
        self.approvals: list[Approval] = []
        self.questions: list[Question] = []
        self.plan: Plan | None = None
        self.usage: Usage = _no_usage()
        self.cost_nano_usd: int | None = None
        self._items: dict[str, Item] = {}
        self._hidden: set[str] = set()

    @property
    def items(self) -> list[Item]:
        """The items on the current path, in the order in which they appeared."""
        return [item for key, item in self._items.items() if key not in self._hidden]

    def apply(self, record: AnyRecord) -> bool:
        """Folds an event into the state. Returns false for one of another session, or one that is known already."""
        if record["sessionId"] != self.id:
            return False
        if "after" in record:
            event = cast(TransientRecord, record)["event"]
            if event["type"] == "item.delta":
                self._grow(event)
            return True
        if record["seq"] <= self.seq:
            return False
        self.seq = record["seq"]
        self._fold(record["event"], record.get("turnId", ""))
        return True

    def _grow(self, delta: TransientEventItemDelta) -> None:
        item = cast("dict[str, Any] | None", self._items.get(delta["itemId"]))
        if item is not None and delta["field"] == "text" and "text" in item:
            # The first piece replaces: after a new subscription all of it comes again.
            before = "" if delta["n"] == 0 else item["text"]
            item["text"] = before + delta["text"]

    def _fold(self, event: Event, turn: str) -> None:
        if event["type"] == "session.created":
            self.model, self.permission_mode = event["model"], event["permissionMode"]
            self.mode, self.title = event.get("mode", "act"), event.get("title")
        elif event["type"] == "config.changed":
            self.model, self.permission_mode = event["model"], event["permissionMode"]
            self.mode = event.get("mode", "act")
        elif event["type"] == "session.updated":
            self.title = event.get("title")
            self._spend(event.get("usage"), event.get("costNanoUsd"))
        elif event["type"] == "input.accepted":
            self.queue.append(cast(QueuedInput, {k: v for k, v in event.items() if k != "type"}))
            self.queue.sort(key=lambda waiting: waiting["delivery"] == "followUp")
        elif event["type"] == "input.removed":
            gone = {removed["itemId"] for removed in event["inputs"]}
            self.queue = [waiting for waiting in self.queue if waiting["itemId"] not in gone]
        elif event["type"] == "queue.changed":
            self.queue = event["queue"]
        elif event["type"] == "turn.started":
            self.turn = {"id": turn, "status": "running"}
        elif event["type"] == "turn.completed":
            self.turn = {"id": turn, "status": event["status"]}
            self._spend(event["usage"], event.get("costNanoUsd"))
        elif event["type"] in ("item.started", "item.updated", "item.completed"):
            item = cast(EventItemStarted, event)["item"]
            self._items[item["id"]] = cast(Item, dict(item))
            self.queue = [waiting for waiting in self.queue if waiting["itemId"] != item["id"]]
        elif event["type"] == "approval.requested":
            self.approvals.append(cast(Approval, {k: v for k, v in event.items() if k != "type"}))
        elif event["type"] == "approval.resolved":
            answered = event["approvalId"]
            self.approvals = [one for one in self.approvals if one["approvalId"] != answered]
        elif event["type"] == "question.requested":
            self.questions.append(cast(Question, {k: v for k, v in event.items() if k != "type"}))
        elif event["type"] == "question.resolved":
            settled = event["questionId"]
            self.questions = [one for one in self.questions if one["questionId"] != settled]
        elif event["type"] == "plan.updated":
            plan = cast(Plan, {k: v for k, v in event.items() if k != "type"})
            self.plan = plan if plan.get("items") else None
        elif event["type"] == "history.rewound":
            self._hidden |= set(event.get("dropped", []))
            self._hidden -= set(event.get("restored", []))

    def _spend(self, usage: Usage | None, cost: int | None) -> None:
        counts = cast("dict[str, int]", self.usage)
        for key, count in cast("dict[str, int]", usage or {}).items():
            counts[key] = counts.get(key, 0) + count
        if cost is not None:
            self.cost_nano_usd = (self.cost_nano_usd or 0) + cost

    def snapshot(self) -> dict[str, Any]:
        """The state as JSON, as the fixtures of the conformance kit write it."""
        state: dict[str, Any] = {
            "seq": self.seq,
            "title": self.title,
            "model": self.model,
            "permissionMode": self.permission_mode,
            "mode": self.mode,
            "turn": self.turn,
            "items": self.items,
            "queue": self.queue,
            "approvals": self.approvals,
            "questions": self.questions,
            "plan": self.plan,
            "usage": self.usage,
            "costNanoUsd": self.cost_nano_usd,
        }
        return {key: value for key, value in state.items() if value is not None}


class Client:
    """A connection to an engine, over any two streams of bytes, one message a line."""

    def __init__(
        self,
        reader: IO[bytes],
        writer: IO[bytes],
        process: subprocess.Popen[bytes] | None = None,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._process = process
        self._last_id = 0
        self._records: deque[AnyRecord] = deque()
        self._responses: dict[Any, dict[str, Any]] = {}
        self._handlers: dict[str, Callable[[Any], Any]] = {}

    @classmethod
    def spawn(cls, command: Sequence[str], cwd: str | None = None) -> Client:
        """Starts an engine."""
        pipe = subprocess.PIPE
        process = subprocess.Popen(list(command), cwd=cwd, stdin=pipe, stdout=pipe)
        assert process.stdin and process.stdout
        return cls(process.stdout, process.stdin, process)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection. An engine that this client started ends with it."""
        self._writer.close()
        if self._process:
            self._process.wait()
        self._reader.close()

    def initialize(
        self, name: str, version: str, capabilities: ClientCapabilities | None = None
    ) -> InitializeResult:
        """Opens the connection; it must be the first request."""
        return self.request(
            "initialize",
            {
                "protocol": {"name": "pintle", "versions": [PROTOCOL_VERSION]},
                "client": {"name": name, "version": version},
                "capabilities": capabilities or {},
            },
        )

    def create(self, params: SessionCreateParams | None = None) -> Session:
        """Creates a session."""
        return Session(self.request("session/create", params or {})["sessionId"])

    def open(self, session: Session | str) -> Session:
        """Opens a stored session. One that is known gets the events that it missed; they come in `records`."""
        if isinstance(session, str):
            session = Session(session)
        asked: SessionOpenParams = {"sessionId": session.id, "fromSeq": session.seq}
        earlier, self._records = self._records, deque()
        opened = self.request("session/open", asked)
        if opened.get("gap"):
            earlier.extend(self._pages(session.id, session.seq, opened["seq"]))
        self._records.extendleft(reversed(earlier))
        return session

    # The signatures of all requests.
    def request(self, method: Any, params: Any = None) -> Any:
        """Sends a request and returns its result."""
        number = self.send(method, params)
        while number not in self._responses:
            self._read()
        response = self._responses.pop(number)
        if "error" in response:
            error = response["error"]
            raise RequestFailed(method, error["code"], error["message"], error.get("data"))
        return response["result"]

    def send(self, method: ClientRequest, params: Any = None) -> int:
        """Sends a request whose response is not awaited, and returns its id."""
        self._last_id += 1
        self._write({"id": self._last_id, "method": method, "params": params or {}})
        return self._last_id

    def notify(self, method: Literal["exit", "$/cancelRequest"], params: Any = None) -> None:
        """Sends a notification."""
        self._write({"method": method, "params": params or {}})

    def on(self, method: EngineRequest, handler: Callable[[Any], Any]) -> None:
        """Answers a request of the engine with what the handler returns."""
        self._handlers[method] = handler

    def records(self) -> Iterator[AnyRecord]:
        """The events of all sessions, until the connection ends."""
        while True:
            while self._records:
                yield self._records.popleft()
            try:
                self._read()
            except Disconnected:
                return

    def _write(self, message: dict[str, Any]) -> None:
        self._writer.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._writer.flush()

    def _read(self) -> None:
        line = self._reader.readline()
        if not line:
            raise Disconnected("the engine has closed the connection")
        message = json.loads(line)
        method = message.get("method")
        if method is None:
            self._responses[message["id"]] = message
        elif method == "session/event":
            self._records.append(message["params"])
        elif method == "session/eventsMissed":
            self._read_missed(message["params"])
        elif "id" in message:
            self._answer(message)

    def _read_missed(self, lagged: SessionEventsMissedParams) -> None:
        # What comes while the missed events are read is later than they are.
        earlier, self._records = self._records, deque()
        earlier.extend(self._pages(lagged["sessionId"], lagged["lastSentSeq"], lagged["headSeq"]))
        self._records.extendleft(reversed(earlier))

    def _pages(self, session: str, after: int, head: int) -> Iterator[EventRecord]:
        """Reads the events between two numbers."""
        while after < head:
            asked: SessionEventsParams = {"sessionId": session, "after": after}
            events = self.request("session/events", asked)["events"]
            if not events:
                return
            yield from (event for event in events if event["seq"] <= head)
            after = events[-1]["seq"]

    def _answer(self, message: dict[str, Any]) -> None:
        handler = self._handlers.get(message["method"])
        if handler is None:
            error = {"code": METHOD_NOT_FOUND, "message": f"no handler for {message['method']}"}
            self._write({"id": message["id"], "error": error})
            return
        self._write({"id": message["id"], "result": handler(message["params"])})
