"""What every scenario may ask of a service, whichever it is."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from loopback.service import Service as Simulator

import hoist
from scenario import Sentence

ON, OFF, TEXT, NUMBER, SETTINGS = "on", "off", "text", "number", "settings"
FLAGS: dict[str, Any] = {ON: True, OFF: False, TEXT: "green", NUMBER: 42, SETTINGS: {"colour": "blue", "size": {"width": 2}}}
"""The five flags, as everybody sees them."""
BENS_TEXT = "blue"
"""What `text` is for Ben alone."""
ANNA, BEN = "anna", "ben"
FALLBACKS: dict[str, Any] = {ON: False, OFF: True, TEXT: "none", NUMBER: -1, SETTINGS: None}
"""What reads are given to fall back on: never what the service says."""

REMOTE = Sentence("client.h", "Where the service evaluates, the flags of the new context are fetched: the client is RECONCILING "
                              "meanwhile, and serves the former flags or none, as the service's header says.")


class Service:
    """A service with the five flags, and the properties of a client of it."""

    name = ""
    provider = ""
    lacks: dict[str, Sentence] = {}
    """What it does not have: events, persons, remote, network, bootstrap, key, …"""
    untried: dict[str, str] = {}
    """What cannot be seen within a test's time, and why."""
    streams = False
    """Whether changes come by themselves."""
    asks_when_open = False
    """Flags are asked for once more when the stream has opened."""
    polls_late = False
    """Whether stored flags that were confirmed lately are not asked for at once."""
    lists_all = True
    """Whether what is off is among the flags."""
    identifies = False
    """Whether a client becomes Anna's by a call, as no property says so."""
    introduces = False
    """Whether the first event of a person is accompanied by one that tells who that is, unless a call has told it."""
    refusal = 400
    """The status by which one event is refused for good at once."""
    pipeline = "events"
    """The group of statistics that tells of what is tracked."""
    quick: dict[str, Any] = {}
    """The shortest pace of regular fetches."""
    eager: dict[str, Any] = {"events__flush_interval_ms": 50}
    """With these, events are sent as soon as they may be."""
    lazy: dict[str, Any] = {}
    """With these, events are sent as late as they may be."""
    secrets: tuple[str, ...] = ()
    """What may stand in no line of the log."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.flags = copy.deepcopy(FLAGS)

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def complaints(self) -> list[str]:
        """What the service says clients have done against its protocol."""
        return []

    # Clients.

    def configuration(self) -> hoist.Config:
        """A fresh one, without properties."""
        return hoist.Config(self.provider)

    def plugin(self) -> str:
        """The shared object that brings the provider; empty for none."""
        return ""

    def properties(self) -> dict[str, Any]:
        """Those of a client of Anna's, who is slow to ask again by itself."""
        raise NotImplementedError

    def person(self, name: str) -> dict[str, Any]:
        """A person as contexts of the core have one."""
        return {"targetingKey": name}

    def bootstrap(self, good: bool = True) -> dict[str, Any]:
        """The property that a client starts from, with the five flags or with what is none."""
        raise NotImplementedError

    def unreachable(self) -> dict[str, Any]:
        """Properties with which there is no way to fetch, and those to be left out, as None."""
        raise NotImplementedError

    def read(self, client: hoist.Client, flag: str, context: Any = None, fallback: Any = ...) -> Any:
        """A flag, by the call for its type."""
        fallback = FALLBACKS[flag] if fallback is ... else fallback
        if flag in (ON, OFF):
            return client.bool(flag, context, fallback)
        if flag == TEXT:
            return client.string(flag, context, fallback)
        if flag == NUMBER:
            return client.int(flag, context, fallback)
        return client.json(flag, context, fallback)

    def detail(self, client: hoist.Client, flag: str, context: Any = None) -> hoist.Detail[Any]:
        return client.detail(flag, context, FALLBACKS[flag])

    def handle(self, client: hoist.Client) -> Any:
        """A handle of the vendor's on a person, as a function that reads `on` with it."""
        view = client.view()
        return lambda: view.bool(ON, False)

    # The service.

    def change(self, flag: str, value: Any) -> None:
        """Serves another value from now on, to everybody but Ben."""
        self.flags[flag] = value
        self.publish()

    def publish(self) -> None:
        raise NotImplementedError

    def panic(self, on: bool = True) -> None:
        """Switches everything off."""
        raise NotImplementedError

    def fetches(self) -> int:
        """How often flags were asked for."""
        raise NotImplementedError

    def fail(self, status: int = 503, times: int | None = None, **more: Any) -> None:
        """Answers with a status in place of flags."""
        raise NotImplementedError

    def spoil(self) -> None:
        """Answers with what are no flags."""
        raise NotImplementedError

    def hang(self) -> None:
        """Takes requests for flags and does not answer, until `heal`."""
        raise NotImplementedError

    def go_away(self) -> None:
        """Refuses connections, until `come_back`."""
        raise NotImplementedError

    def come_back(self) -> None:
        raise NotImplementedError

    def heal(self) -> None:
        """Does what it should again."""
        raise NotImplementedError

    def refused(self) -> dict[str, Any]:
        """Properties with a key that the service does not know."""
        raise NotImplementedError

    # Events.

    def event(self, number: int) -> str:
        """The name of the event that carries a number as its value."""
        raise NotImplementedError

    def accepted(self) -> list[float]:
        """The numbers of the events that the service has accepted, each once by its identity."""
        raise NotImplementedError

    def order(self) -> list[float]:
        """The numbers of the accepted events, by the times that they carry, and as they came where these are equal."""
        raise NotImplementedError

    def tracked_persons(self) -> list[str]:
        """Whose the accepted events are."""
        return []

    def mark(self, number: int) -> str:
        """What stands in a request for events that carries this one, and in no other."""
        raise NotImplementedError

    def bodies(self) -> str:
        """All that was sent as events, accepted or not."""
        raise NotImplementedError

    def posts(self) -> int:
        """How often events were sent, accepted or not."""
        raise NotImplementedError

    def fail_events(self, kind: str = "status", times: int | None = None, **more: Any) -> None:
        raise NotImplementedError


class Simulated(Service):
    """A service that a simulator plays."""

    fetching: tuple[str, ...] = ()
    """The simulator's endpoints of flags."""
    sending: tuple[str, ...] = ()
    """Those of events."""
    simulator: Simulator

    def make(self) -> Simulator:
        raise NotImplementedError

    def start(self) -> None:
        self.simulator = self.make()
        self.simulator.start()

    def stop(self) -> None:
        self.simulator.stop()

    def complaints(self) -> list[str]:
        return [str(violation) for violation in self.simulator.violations]

    def fetches(self) -> int:
        return sum(self.simulator.journal.count(endpoint) for endpoint in self.fetching)

    def fail(self, status: int = 503, times: int | None = None, **more: Any) -> None:
        self._spoil("status", times=times, status=status, **more)

    def spoil(self) -> None:
        self._spoil("garbage")

    def hang(self) -> None:
        self._spoil("hang", then="answer")

    def _spoil(self, kind: str, times: int | None = None, **more: Any) -> None:
        for endpoint in self.fetching:
            self.simulator.fail(endpoint, kind, times=times, **more)
        self.drop()

    def drop(self) -> None:
        """Ends the streams that are open."""
        streams = getattr(self.simulator, "streams", None)
        if streams is not None:
            streams.drop("close")

    def go_away(self) -> None:
        self.simulator.go_away()

    def come_back(self) -> None:
        self.simulator.come_back()

    def heal(self) -> None:
        self.simulator.faults.clear()

    def bodies(self) -> str:
        found = b"\n".join(entry.body for endpoint in self.sending for entry in self.simulator.requests(endpoint))
        return unquote(found.decode("utf-8", "replace"))

    def posts(self) -> int:
        return sum(self.simulator.journal.count(endpoint) for endpoint in self.sending)

    def fail_events(self, kind: str = "status", times: int | None = None, **more: Any) -> None:
        for endpoint in self.sending:
            self.simulator.fail(endpoint, kind, times=times, **more)
