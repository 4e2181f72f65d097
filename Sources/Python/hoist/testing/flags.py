"""Flags that a test sets."""

from __future__ import annotations

import copy
import itertools
import json
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from ..client import Client, State
from ..config import Config
from ..detail import Detail
from ..plugins import Hook, HookCall
from . import core, transport
from .records import Evaluated, Tracked
from .services import SERVICES

if TYPE_CHECKING:
    from .. import flagship, kameleoon, launchdarkly, optimizely, unleash

_Self = TypeVar("_Self", bound="Flags")
_open = Client._open


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Any = _Absent()
"""In `Flags.override`: the flag does not exist inside the block."""
_numbers = itertools.count(1)


class Flags(MutableMapping[str, Any]):
    """Flags by key, and the clients that serve them: what is set here is served when the call returns.

    A value is a bool, a text, a number, a dict or a list. Where a service has no such values, a bool is the switch; and
    - Optimizely: a text is the key of the variation, else that is "on" or "off"; texts and numbers are the variable
      "value", members of a dict are the variables; lists are JSON text. `events` names the events that may be tracked;
    - Kameleoon: likewise, and lists are lists;
    - Unleash: values are the payloads of a variant "on".

    Flags are the same for everybody. Thread-safe.
    """

    def __init__(self, flags: Mapping[str, Any] | None = None, *, events: Iterable[str] = ()) -> None:
        self._lock = threading.Lock()
        self._number = 1
        self._values: dict[str, Any] = {}
        self._records: list[Evaluated | Tracked] = []
        self._doubles: weakref.WeakSet[core.Double] = weakref.WeakSet()
        self._clients: list[tuple[Client, transport.Double | None]] = []
        self._name = next(_numbers)
        self.is_up = True
        self.events = tuple(events)
        core.Double.sources[self._name] = self
        self.update(flags or {})

    # ---- Setting ---------------------------------------------------------------------------------

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._change({key: value})

    def __delitem__(self, key: str) -> None:
        self._values[key]  # KeyError for one that does not exist
        self._change({key: ABSENT})

    def __iter__(self) -> Iterator[str]:
        return iter(self._snapshot()[1])

    def __len__(self) -> int:
        return len(self._values)

    def update(self, *changes: Any, **more: Any) -> None:
        """Sets several flags in one step."""
        self._change(dict(*changes, **more))

    @contextmanager
    def override(self: _Self, flags: Mapping[str, Any] | None = None, /, **more: Any) -> Iterator[_Self]:
        """Other values inside the block, `ABSENT` for flags that do not exist there; those of before at its end."""
        changes = {**(flags or {}), **more}
        with self._lock:
            before = {key: self._values.get(key, ABSENT) for key in changes}
        self._change(changes)
        try:
            yield self
        finally:
            self._change(before)

    def _change(self, changes: Mapping[str, Any]) -> None:
        for key, value in changes.items():
            if value is not ABSENT and not isinstance(value, (bool, str, int, float, dict, list)):
                raise TypeError(
                    f'flag "{key}": a value is a bool, str, int, float, dict or list, not {type(value).__name__}'
                )
        texts = {
            key: value if value is ABSENT else json.loads(json.dumps(value, allow_nan=False))
            for key, value in changes.items()
        }
        with self._lock:
            values = {**self._values, **texts}
            self._values = {key: value for key, value in values.items() if value is not ABSENT}
            self._number += 1
            number, clients = self._number, list(self._clients)
        for double in list(self._doubles):
            double.serve()
        for client, served_by in clients if self.is_up else []:
            if served_by is not None:
                served_by.bring(client, number)

    @contextmanager
    def outage(self: _Self) -> Iterator[_Self]:
        """Inside the block the service does not answer.

        Clients that have flags go on with them, and are STALE; those that are opened in the block serve fallbacks.
        """
        self.is_up = False
        try:
            for client, served_by in list(self._clients):
                if served_by is not None:
                    served_by.lose(client)
            self._change({})
            yield self
        finally:
            self.is_up = True
            self._change({})

    def _snapshot(self) -> tuple[int, dict[str, Any]]:
        with self._lock:
            return self._number, copy.deepcopy(self._values)

    # ---- Clients ---------------------------------------------------------------------------------

    @overload
    def client(self, service: None = None, /, **properties: Any) -> Client: ...

    @overload
    def client(self, service: Literal["unleash"], /, **properties: Any) -> unleash.Client: ...

    @overload
    def client(self, service: Literal["optimizely"], /, **properties: Any) -> optimizely.Client: ...

    @overload
    def client(self, service: Literal["launchdarkly"], /, **properties: Any) -> launchdarkly.Client: ...

    @overload
    def client(self, service: Literal["flagship"], /, **properties: Any) -> flagship.Client: ...

    @overload
    def client(self, service: Literal["kameleoon"], /, **properties: Any) -> kameleoon.Client: ...

    def client(self, service: str | None = None, /, **properties: Any) -> Any:
        """A client that serves the flags, ready, and closed with this object.

        Without a service: one for the core's calls, of any context. With one: its own client, in the mode that
        evaluates here (Unleash "backend", LaunchDarkly "server", Flagship "bucketing") unless the properties say
        another. Takes what the client takes; where a service needs an address or a key, there is one.
        """
        if service is None:
            core.register()
            recorder = _Recorder(self)
            hooks = [recorder, *properties.pop("hooks", ())]
            settings = {"transport": transport.Nowhere(), "store": "none", **properties, "flags": self._name}
            client = Client(core.NAME, hooks=hooks, **settings)
            recorder.client = weakref.ref(client)
            self._clients.append((client, None))
        else:
            if service not in SERVICES:
                raise ValueError(f"a service is one of {', '.join(SERVICES)}, not {service!r}")
            if SERVICES[service].mode is not None:
                properties.setdefault("mode", SERVICES[service].mode)
            with self.everywhere():
                client = import_module(f"hoist.{service}").Client(**properties)
        if self.is_up and properties.get("autostart", True) and properties.get("online", True):
            double = self._clients[-1][1]
            if double is None:
                client.wait_ready(transport.PATIENCE)
            else:
                double.wait_ready(client)
        return client

    @contextmanager
    def everywhere(self: _Self) -> Iterator[_Self]:
        """Inside the block every client that is opened for one of the five services serves these flags.

        Whatever their properties say, they use neither network nor store. Not for threads that open clients beside the
        block.
        """
        before, source = Client._open, self

        def opened(client: Client, config: Config) -> None:
            service = SERVICES.get(config.provider)
            if service is None:
                return _open(client, config)
            config = config.copy()
            made = service(config, source.events)
            double = transport.Double(made, source)
            config.set_transport(double)
            recorder = _Recorder(source)
            config.add_hook(recorder)
            _open(client, config)
            recorder.client = weakref.ref(client)
            made.attach(client, source._note)
            double.attach(client)
            source._clients.append((client, double))
            return None

        Client._open = opened  # type: ignore[method-assign,assignment]
        try:
            yield self
        finally:
            Client._open = before  # type: ignore[method-assign]

    # ---- Reading back ----------------------------------------------------------------------------

    @property
    def evaluated(self) -> list[Evaluated]:
        """The flags that were read, the oldest first.

        By the core's calls, Unleash's, LaunchDarkly's, and decisions of Optimizely's: each. By a visitor of
        Flagship's: flags that it was exposed to. By one of Kameleoon's: experiments that were reported. Reads of a
        `View` are not seen.
        """
        return [record for record in self._settled() if isinstance(record, Evaluated)]

    @property
    def tracked(self) -> list[Tracked]:
        """The events that the service has got, the oldest first; what is recorded is sent first."""
        return [record for record in self._settled() if isinstance(record, Tracked)]

    def was_evaluated(self, key: str) -> bool:
        """Whether a flag was read."""
        return any(record.key == key for record in self.evaluated)

    def was_tracked(self, key: str) -> bool:
        """Whether an event was tracked."""
        return any(record.key == key for record in self.tracked)

    def forget(self) -> None:
        """From here on: nothing has been evaluated and tracked so far."""
        self._settled()
        with self._lock:
            self._records.clear()

    def _note(self, record: Evaluated | Tracked) -> None:
        with self._lock:
            self._records.append(record)

    def _settled(self) -> list[Evaluated | Tracked]:
        for client, double in list(self._clients):
            if double is not None and client.state is not State.CLOSED:
                client.flush(transport.PATIENCE)
                transport.hear_out(client)
        with self._lock:
            return list(self._records)

    # ---- The end ---------------------------------------------------------------------------------

    def close(self) -> None:
        """Closes the clients. What was evaluated and tracked can still be read."""
        for client, _ in self._clients:
            client.close(1)
        self._clients.clear()
        core.Double.sources.pop(self._name, None)

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Flags({self._values!r})"


class _Recorder(Hook):
    """Notes what is evaluated."""

    def __init__(self, flags: Flags) -> None:
        self.flags = flags
        self.client: Callable[[], Client | None] = lambda: None

    def after(self, call: HookCall, detail: Detail[Any]) -> None:
        client = self.client()
        context = call.context or (client and client.current_context)
        key = context.targeting_key if context else None
        value = detail.value if detail.error_code == "" else None
        self.flags._note(Evaluated(call.key, value, detail.variation, key, detail.error_code))

    error = after
