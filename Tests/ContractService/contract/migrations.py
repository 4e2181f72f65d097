"""Migrations whose systems are addresses of the harness."""

from __future__ import annotations

from collections.abc import Callable
from operator import eq

from hoist import launchdarkly
from hoist.launchdarkly import Client, Context

from .callbacks import request
from .reading import Members, Refused


class OriginFailure(Exception):
    """What a system raises whose address does not answer with 200."""


def stage_of(parameters: Members) -> launchdarkly.MigrationStage:
    """The stage where the flag names none; "off" for what is none."""
    name = parameters.needed_text("defaultStage")
    found = [stage for stage in launchdarkly.MigrationStage if stage.name.lower() == name]
    return found[0] if found else launchdarkly.MigrationStage.OFF


def migrated(client: Client, context: Context, parameters: Members) -> str:
    """Carries out a read or a write; answers what the system that counts gave: a text, or what went wrong."""
    key, operation = parameters.needed_text("key"), parameters.needed_text("operation")
    if operation not in ("read", "write"):
        raise Refused(f"{parameters.name}.operation is read or write")
    migrator, stage = _migrator(client, parameters), stage_of(parameters)
    call = migrator.read if operation == "read" else migrator.write
    counts = call(key, context, stage, parameters.text("payload") or "").authoritative
    return str(counts.value if counts.has_succeeded else counts.error)


def _migrator(client: Client, parameters: Members) -> launchdarkly.Migrator:
    old, new = (_origin(parameters.needed_text(name)) for name in ("oldEndpoint", "newEndpoint"))
    order = parameters.text("readExecutionOrder") or "concurrent"
    if order not in ("serial", "random", "concurrent"):
        raise Refused(f"{parameters.name}.readExecutionOrder is serial, random or concurrent")
    return launchdarkly.Migrator(
        client,
        read_old=old,
        read_new=new,
        write_old=old,
        write_new=new,
        is_consistent=eq if parameters.boolean("trackConsistency") else None,
        order=launchdarkly.MigrationOrder[order.upper()],
        tracks_latency=parameters.boolean("trackLatency"),
        tracks_errors=parameters.boolean("trackErrors"),
    )


def _origin(url: str) -> Callable[[str], str]:
    """A system at an address."""

    def ask(payload: str) -> str:
        status, body = request("POST", url, payload.encode(), "text/plain")
        if status != 200:
            raise OriginFailure(f"the origin answered with status {status}")
        return body.decode()

    return ask
