"""asyncio: what waits has a coroutine beside it, in every service, and what needs none of it does not import it."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import flagship_clients
import kameleoon_clients
import launchdarkly_clients
import pytest
from optimizely import OptimizelySimulator
from unleash import UnleashSimulator

import hoist
from hoist import Status, flagship, kameleoon, launchdarkly, optimizely, unleash

FACES = (hoist, unleash, optimizely, launchdarkly, flagship, kameleoon)
HOLDERS = ("Client", "User", "Visitor")


def callables() -> Iterator[tuple[Any, str, Any]]:
    """The functions of each service's module, and the methods of its client and of its users."""
    for face in FACES:
        for holder in (face, *(getattr(face, name) for name in HOLDERS if hasattr(face, name))):
            for name in dir(holder):
                found = inspect.getattr_static(holder, name)
                if not name.startswith("_") and inspect.isfunction(found):
                    yield holder, name, found


def coroutine_for(name: str) -> str:
    if name in ("wait_ready", "run_when_ready"):
        return "ready"
    return name.removesuffix("_soon").removesuffix("_wait") + "_async"


def test_whatever_waits_has_a_coroutine() -> None:
    """What takes a limit or a completion waits. One form for all: a method, or a function where the wait is one."""
    waiting = [
        (holder, name)
        for holder, name, function in callables()
        if {"timeout", "done"} & set(inspect.signature(function).parameters) and not inspect.iscoroutinefunction(function)
    ]
    assert len(waiting) > 30
    missing = [f"{holder.__name__}.{name}" for holder, name in waiting
               if not inspect.iscoroutinefunction(getattr(holder, coroutine_for(name), None))]  # fmt: skip
    assert missing == []


def test_no_function_of_the_module_does_what_a_method_does() -> None:
    """`hoist.aio` has what lends a loop to a client, and nothing that awaits."""
    assert [name for name, found in vars(hoist.aio).items() if inspect.iscoroutinefunction(found)] == []
    assert callable(hoist.aio.attach)


@pytest.mark.parametrize("face", [face.__name__ for face in FACES])
def test_asyncio_is_not_for_every_program(face: str) -> None:
    """Importing takes neither asyncio nor the keywords of type checkers along."""
    program = f"import sys, {face}; print(sorted({{'asyncio', 'hoist.aio', 'hoist.properties'}} & set(sys.modules)))"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.stdout == "[]\n", ended.stderr
    assert importlib.import_module(face)


def test_unleash_is_awaited(service: UnleashSimulator, open_client) -> None:
    """(UNL-21, UNL-72; before start, ready, closing)"""

    async def main() -> None:
        client = open_client("frontend", unleash.Client, autostart=False)
        assert await client.start_async(timeout=10)
        assert await client.update_context_async({"userId": "ben"}, {"plan": "pro"}, 10)
        assert client.context["userId"] == "ben" and await client.identify_async({"userId": "carla"}, 10)
        assert client.bool("switch") and await client.flush_async(10)
        assert await client.close_async(10) and client.state is hoist.State.CLOSED

    asyncio.run(main())
    assert service.ledger.totals()["switch"]["yes"] == 1


def test_optimizely_is_awaited() -> None:
    """(OPT-25, OPT-39; before start, ready)"""
    with OptimizelySimulator() as service:

        async def main() -> None:
            properties = {"datafile.url": service.datafile_url, "store": "memory", "autostart": False}
            async with optimizely.Client(properties, sdk_key=service.sdk_key) as client:
                assert await client.download_datafile_async(10) and client.has_saved_datafile
                await client.start_async(10)
                assert client.revision
            async with optimizely.Client(properties, sdk_key="no-such", datafile_retries=0) as unknown:
                with pytest.raises(hoist.Error) as refused:
                    await unknown.start_async(10)
                assert not refused.value.status

        asyncio.run(main())


def test_launchdarkly_is_awaited() -> None:
    """(LD-10, LD-75; before start, offline, ready)"""
    with launchdarkly_clients.strict_service() as service, launchdarkly_clients.opener(service) as open_one:

        async def main() -> None:
            client = open_one(autostart=False)
            assert await client.start_async(10)
            assert await client.identify_async(launchdarkly_clients.BEN, 10, sheddable=False)
            assert client.current_context and client.current_context.targeting_key == "ben"
            assert await client.set_online_async(False, 10) and not client.is_online
            assert await client.set_online_async(True, 10) and client.is_online

        asyncio.run(main())


def test_flagship_is_awaited() -> None:
    """(FS-207; ready)"""
    with flagship_clients.strict_service() as service, flagship_clients.opener(service) as open_one:
        service.environment.settle({"eaiCollectEnabled": True, "eaiActivationEnabled": True})
        service.environment.score("u", "calm")

        async def main() -> None:
            client = open_one(properties={"emotion_score": True, "emotion.url": service.score_url})
            visitor = client.visitor("u")
            while visitor.context.get("eai::eas") != "calm":  # the account's settings have come
                assert await visitor.fetch_async(10)
            assert await client.collect_emotion_async({"type": "click"}, 10)

        asyncio.run(main())
        assert service.ledger.bodies("emotions") == [{"type": "click"}]


def test_kameleoon_is_awaited() -> None:
    """(KAM-14; ready, closed)"""
    with kameleoon_clients.strict_service() as service, kameleoon_clients.opener(service) as open_one:

        async def main() -> None:
            visitor = open_one().visitor("anna")
            assert visitor.track_conversion(17) and await visitor.flush_async(True, 10)
            assert service.journal.count("tracking") == 1
            anna = kameleoon.create(service.site_code, "anna", kameleoon_clients.reach(service), store="none")
            assert anna.client and await anna.client.ready(10)
            assert await kameleoon.forget_async(service.site_code, timeout=10)
            assert await kameleoon.forget_async(service.site_code) is Status.NOT_FOUND

        asyncio.run(main())
