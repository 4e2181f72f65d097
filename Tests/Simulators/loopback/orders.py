"""What the control port offers about open streams."""

from __future__ import annotations

import base64
from typing import Any, Callable

from .control import Control
from .findings import brief
from .streaming import StreamHub

Action = Callable[[dict[str, Any]], int]
"""Does something to all open streams; returns how many there are."""


def add_stream_routes(control: Control, streams: StreamHub[Any], more: dict[str, Action] | None = None) -> None:
    """`GET` and `POST /streams` and `/wait-streams`; `more` are a service's own actions."""
    actions: dict[str, Action] = {
        "drop": lambda body: streams.drop(body.get("how", "close")),
        "send": lambda body: streams.send(body["event"], body["data"], body.get("id")),
        "truncate": lambda body: streams.truncate(body["event"], body["data"], body["keep"], body.get("how", "close")),
        "raw": lambda body: streams.raw(base64.b64decode(body["base64"], validate=True)),
        "stall": lambda body: streams.stall(), "resume": lambda body: streams.resume(),
        "keep-alive": lambda body: streams.keep_alive(), **(more or {})}

    def order(body: Any) -> dict[str, int]:
        action = body.get("action")
        if action not in actions:
            raise ValueError(f"action {brief(action)} is not {', '.join(actions)}")
        return {"streams": actions[action](body)}

    control.add("GET", "/streams", lambda query, body: streams.as_json())
    control.add("POST", "/streams", lambda query, body: order(body))
    control.add_wait("/wait-streams", lambda query, count, timeout: streams.wait_for(count, timeout))
