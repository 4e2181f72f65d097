"""Plug-ins as Python classes: a logger, a cache, headers, a transport and a hook. python plug_ins.py features.json"""

import collections
import json
import sys
from pathlib import Path

import hoist

DOCUMENT = Path(sys.argv[1]).read_bytes()


class Lines(hoist.Logger):
    def write(self, level: hoist.LogLevel, message: str) -> None:
        print(f"  log {level.name}: {message}")


class Memory(hoist.Cache):
    """Keeps the last flags; a real one would use a file or a database."""

    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}

    def load(self, key: str) -> "bytes | None":
        return self.values.get(key)

    def save(self, key: str, value: bytes) -> None:
        self.values[key] = value

    def remove(self, key: str) -> None:
        self.values.pop(key, None)


class Offline(hoist.Transport):
    """Answers in place of the network; a real one would use the host's own HTTP client."""

    def __init__(self) -> None:
        self.seen: "list[str]" = []

    def send(self, request: hoist.Request, exchange: hoist.Exchange) -> None:
        self.seen.append(f"{request.method} {request.url}")
        assert dict(request.headers)["X-Team"] == "checkout"
        if request.method == "GET":
            exchange.respond(200, DOCUMENT, {"Content-Type": "application/json"})
        else:
            print("  metrics:", json.loads(request.body or b"{}").get("bucket", {}).get("toggles"))
            exchange.respond(202)


class Timing(hoist.Hook):
    def __init__(self) -> None:
        self.evaluated: "collections.Counter[str]" = collections.Counter()

    def after(self, call: hoist.HookCall, detail: "hoist.Detail[object]") -> None:
        self.evaluated[call.key] += 1


cache, transport, hook = Memory(), Offline(), Timing()
with hoist.Client(
    "unleash", url="https://flags.example.com/api", key="*:production.example", mode="backend", app_name="shop",
    log_level="info", disable_registration=True, logger=Lines(), cache=cache, transport=transport,
    headers=lambda url: {"X-Team": "checkout"}, hooks=[hook],
) as client:
    assert client.wait_ready(5)

    @client.on(hoist.Topic.EVENTS_SENT)
    def told(news: hoist.Notification) -> None:
        print("  sent:", news.message)

    print("new-checkout is", "on" if client.bool("new-checkout", {"targetingKey": "user-7"}) else "off")
    assert client.flush(5)

print("requests:", transport.seen)
print("hook:", dict(hook.evaluated))
print("cache:", len(cache.values), "values")
assert hook.evaluated["new-checkout"] == 1 and cache.values
