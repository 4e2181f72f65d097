"""What a scenario has in hand: a service, clients of it, what they tell and log."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hoist
from differences import Difference, Patience, comes_true, expect, require
from hoist import Notification, State, Status, Topic
from hoist.plugins import Logger, LogLevel
from services.base import ANNA, BEN, FALLBACKS, FLAGS, OFF, Service


PATIENCE = 8.0
"""For how many seconds what a scenario begins with is waited for, whatever is known of the rest."""


class Lines(Logger):
    """The log of all clients of a scenario."""

    def __init__(self) -> None:
        self.found: list[tuple[LogLevel, str]] = []

    def write(self, level: LogLevel, message: str) -> None:
        self.found.append((level, message))

    def at(self, level: LogLevel, *words: str) -> list[str]:
        """The lines of a level with all of these words, whatever their case."""
        return [line for one, line in list(self.found) if one is level and all(word.lower() in line.lower() for word in words)]


class Told:
    """What an observer was told, in order."""

    def __init__(self, look: Callable[[Notification], object] | None = None) -> None:
        self.found: list[Notification] = []
        self.seen: list[object] = []
        self._look = look
        self._changed = threading.Condition()

    def __call__(self, notification: Notification) -> None:
        seen = self._look(notification) if self._look else None
        with self._changed:
            self.found.append(notification)
            self.seen.append(seen)
            self._changed.notify_all()

    def of(self, topic: Topic, key: str | None = None) -> list[Notification]:
        with self._changed:
            return [one for one in self.found if one.topic is topic and (key is None or key in one.keys)]

    def count(self, topic: Topic, key: str | None = None) -> int:
        return len(self.of(topic, key))

    def comes(self, topic: Topic, count: int = 1, timeout: float | None = None) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: sum(one.topic is topic for one in self.found) >= count,
                                          Patience.seconds if timeout is None else timeout)

    def wait(self, topic: Topic, count: int = 1) -> None:
        times = "not told" if count == 1 else f"not told {count} times"
        require(self.comes(topic, count), f"{topic.name} is {times}")


class World:
    """One scenario with one service."""

    def __init__(self, service: Service, folder: Path) -> None:
        self.service = service
        self.folder = folder
        self.lines = Lines()
        self.clients: list[hoist.Client] = []

    @property
    def name(self) -> str:
        return self.service.name

    # Clients.

    def properties(self, **more: Any) -> dict[str, Any]:
        """Those of a client of Anna's, without a store; with a dot for each two underscores. What is None is left out."""
        changed = {name.replace("__", "."): value for name, value in more.items()}
        found = {"store": "none", "log.level": "debug", **self.service.properties(), **changed}
        return {name: value for name, value in found.items() if value is not None}

    def kept(self) -> dict[str, Any]:
        """Properties of a client that keeps things for the next one."""
        return {"store": "sqlite", "store__path": str(self.folder / "store")}

    def open(self, cls: type[hoist.Client] | None = None, plugins: dict[str, Any] | None = None, **more: Any) -> hoist.Client:
        """A client that has just been opened."""
        more_plugins = {"logger": self.lines, **(plugins or {})}
        try:
            if cls is None:
                client = hoist.Client(self.service.configuration(), self.properties(**more), **more_plugins)
            else:
                client = cls(self.properties(**more), **more_plugins)
        except hoist.Error as problem:
            raise Difference(f"the client is refused: {problem.status.name}") from problem
        self.clients.append(client)
        if self.service.identifies:
            client.identify_soon(self.anna)
        return client

    def ready(self, cls: type[hoist.Client] | None = None, plugins: dict[str, Any] | None = None, **more: Any) -> hoist.Client:
        """A client that serves Anna's flags."""
        client = self.open(cls, plugins, **more)
        expect(client.wait_ready(PATIENCE), Status.OK, "wait_ready, while all is well")
        self.become_anna(client)
        if self.service.introduces:
            client.identify(self.anna, PATIENCE)
        self.steady(client)
        return client

    def become_anna(self, client: hoist.Client) -> None:
        """Where no property says so."""
        if self.service.identifies:
            expect(client.identify(self.anna, PATIENCE), Status.OK, "identify, while all is well")

    def steady(self, client: hoist.Client) -> None:
        """Waits until nothing of the start is under way any more."""
        if self.service.polls_late and client.state is State.STALE:
            client.refresh()
        self.reaches(client, State.READY)
        if self.service.streams:
            lives = sum(one.state is not State.CLOSED and one.online for one in self.clients)
            comes_true(lambda: len(self.service.simulator.streams.open) >= lives, 3)
            if self.service.asks_when_open:
                comes_true(lambda: self.service.fetches() >= 2 * lives, 3)
        self.settle(client)

    def settle(self, client: hoist.Client) -> None:
        """Waits until what has been told so far has been delivered: whoever comes late is told of READY after it."""
        told = Told()
        with client.observe(Topic.READY, told):
            told.comes(Topic.READY, timeout=2)

    def observe(self, client: hoist.Client, *topics: Topic, key: str | None = None,
                look: Callable[[Notification], object] | None = None) -> Told:
        told = Told(look)
        for topic in topics or tuple(Topic):
            client.observe(topic, told, key)
        return told

    # Persons and flags.

    def person(self, name: str) -> dict[str, Any]:
        return self.service.person(name)

    @property
    def anna(self) -> dict[str, Any]:
        return self.person(ANNA)

    @property
    def ben(self) -> dict[str, Any]:
        return self.person(BEN)

    def read(self, client: hoist.Client, flag: str, context: Any = None, fallback: Any = ...) -> Any:
        return self.service.read(client, flag, context, fallback)

    def serves(self, client: hoist.Client) -> bool:
        """Whether a read sees a flag."""
        return self.read(client, "on") is True

    def expect_flags(self, client: hoist.Client, flags: dict[str, Any] | None = None) -> None:
        if self.service.identifies and "remote" in self.service.lacks:
            client.identify(self.anna, PATIENCE)  # the one at the start may have come too early
        for flag, value in (FLAGS if flags is None else flags).items():
            # What a service lists that is off is a matter of its own: test_what_is_off_is_off.
            expect(self.read(client, flag, fallback=False) if flag == OFF else self.read(client, flag), value, f"flag {flag}")

    def expect_fallbacks(self, client: hoist.Client, *codes: str) -> None:
        """Every read gives its fallback, and says one of these error codes."""
        for flag, value in FALLBACKS.items():
            expect(self.read(client, flag), value, f"flag {flag}")
            code = self.service.detail(client, flag).error_code
            require(code in codes, f"the error code of flag {flag}: {code!r}, not {' or '.join(codes)}")

    def brings(self, client: hoist.Client, flag: str, value: Any) -> None:
        """The service has another value, and the client takes it."""
        self.service.change(flag, value)
        self.fetches(client, lambda: self.read(client, flag) == value, f"the new value of flag {flag} does not come")

    def fetches(self, client: hoist.Client, condition: Callable[[], object], what: str) -> None:
        """Has the client take what the service has now, unless that comes by itself, until a condition is true. A refresh while
        another one is under way is that one, so that there may have to be a second one."""
        deadline = time.monotonic() + Patience.seconds
        while not self.service.streams and time.monotonic() < deadline:
            client.refresh()
            if comes_true(condition, 0.3):
                return
        require(comes_true(condition), what)

    def reads(self, client: hoist.Client, flag: str, value: Any) -> bool:
        """Whether the value comes, without anything being done for it."""
        return comes_true(lambda: self.read(client, flag) == value)

    # States.

    def reaches(self, client: hoist.Client, *states: State) -> None:
        """The client comes to one of these states, and if not, says where it stays."""
        if not comes_true(lambda: client.state in states):
            raise Difference(f"state: {client.state.name}, not {' or '.join(state.name for state in states)}")

    def stays(self, client: hoist.Client, state: State) -> None:
        """The client comes to a state, and does not leave it by itself."""
        self.reaches(client, state)
        comes_true(lambda: client.state is not state, 0.3)
        expect(client.state, state, "state")

    # Events.

    def track(self, client: hoist.Client, number: int, context: Any = None, **more: Any) -> Status:
        return client.track(self.service.event(number), context, value=float(number), **more)

    def logs(self, *words: str) -> bool:
        """Whether a line with these words comes, at any level."""
        return comes_true(lambda: any(all(word in line for word in words) for _, line in list(self.lines.found)))

    def expect_accepted(self, *numbers: float) -> None:
        wanted = sorted(float(number) for number in numbers)
        if not comes_true(lambda: self.service.accepted() == wanted):
            raise Difference(f"accepted events: {_count(self.service.accepted(), wanted)}")

    def process(self, orders: list[str], **more: Any) -> list[str]:
        """Another process with a client of Anna's: what it says to its orders. See other.py."""
        events = {str(number): self.service.event(number) for number in range(10)} if "events" not in self.service.lacks else {}
        told = {"provider": self.service.provider, "plugin": self.service.plugin(), "properties": self.properties(**more),
                "person": self.anna if self.service.identifies else None, "orders": orders, "events": events}
        ended = subprocess.run([sys.executable, str(Path(__file__).with_name("other.py"))], input=json.dumps(told) + "\n",
                               capture_output=True, text=True, timeout=60)
        if ended.returncode not in (0, -9):
            raise Difference(f"the other process ends with {ended.returncode}: {(ended.stderr.strip().splitlines() or ['?'])[-1]}")
        return ended.stdout.split("\n")[:-1]

    def close(self) -> None:
        for client in self.clients:
            client.close(0)


def _count(found: list[float], wanted: list[float]) -> str:
    missing = len([one for one in wanted if one not in found])
    extra = len(found) - (len(wanted) - missing)
    return f"{len(wanted)} were tracked, {missing} are missing, {extra} are too many"
