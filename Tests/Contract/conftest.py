"""Runs every scenario for every service, and says how each came out."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import differences
import pytest
from differences import Difference, Patience
from scenario import Meaning, Sentence
from services import ALL
from world import World

OK, HEADER, KNOWN, UNTRIED, FAILED = "ok", "header", "known", "untried", "FAILED"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shard", default="0/1", help="of the scenarios, only these: NUMBER/COUNT")
    parser.addoption("--outcomes", type=Path, help="a file for what came out, as JSON lines")
    parser.addoption("--record", action="store_true", help="take every difference that no header tells for a known one")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "world" in metafunc.fixturenames:
        metafunc.parametrize("world", list(ALL), indirect=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    number, count = map(int, config.getoption("--shard").split("/"))
    chosen = {id(item) for place, item in enumerate(items) if place % count == number}
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in chosen])
    items[:] = [item for item in items if id(item) in chosen]


@pytest.fixture(scope="session")
def known() -> differences.Known:
    return differences.load()


@pytest.fixture
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    service = ALL[request.param](tmp_path)
    service.start()
    made = World(service, tmp_path)
    yield made
    print(*(f"{level.name} {line}" for level, line in made.lines.found), sep="\n")  # shown where the scenario fails
    service.heal()
    made.close()
    service.stop()
    made.clients.clear()


def _elsewhere(meaning: Meaning, world: World) -> tuple[str, Any] | None:
    """What a service has not that the scenario needs: the header's sentence, or why it is not tried."""
    for need in meaning.needs:
        if need in world.service.lacks:
            return HEADER, world.service.lacks[need]
        if need in world.service.untried:
            return UNTRIED, world.service.untried[need]
    found = meaning.unless.get(world.name)
    return (HEADER, found) if found is not None and not found.how else None


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Any:
    marker = pyfuncitem.get_closest_marker("scenario")
    if marker is None:
        return (yield)
    meaning: Meaning = marker.args[0]
    world: World = pyfuncitem.funcargs["world"]
    config, name = pyfuncitem.config, pyfuncitem.function.__name__.removeprefix("test_")
    elsewhere = _elsewhere(meaning, world)
    if elsewhere is not None:
        kind, why = elsewhere
        pyfuncitem.obj = lambda **_: None  # it is not run
        yield
        _note(config, meaning, name, world, kind, why.text if isinstance(why, Sentence) else why)
        if isinstance(why, Sentence) and not why.stands():
            pytest.fail(f"Include/hoist/{why.header} does not say: {why.text}", pytrace=False)
        return True
    sentence, today = meaning.unless.get(world.name), _known(config).get((name, world.name))
    is_expected = sentence is None and (today is None or config.getoption("--record"))
    Patience.seconds = meaning.patience if is_expected else 1.0
    different = None
    try:
        yield
        complaints = world.service.complaints()
        if complaints:
            raise Difference(f"the service complains: {complaints[0]}")
    except Difference as difference:
        different = difference
    _judge(config, meaning, name, world, sentence, today, different)
    return True


def _judge(config: pytest.Config, meaning: Meaning, name: str, world: World, sentence: Sentence | None, today: str | None,
           different: Difference | None) -> None:
    said = str(different) if different else ""
    if sentence is not None:
        if said == sentence.how and sentence.stands():
            return _note(config, meaning, name, world, HEADER, sentence.text)
        _note(config, meaning, name, world, FAILED, said)
        if not sentence.stands():
            pytest.fail(f"Include/hoist/{sentence.header} does not say: {sentence.text}", pytrace=False)
        if not said:
            pytest.fail(f"{world.name} does not differ, but a header is quoted for it", pytrace=False)
        raise different if different else AssertionError
    if different is None:
        if today is None or config.getoption("--record"):
            return _note(config, meaning, name, world, OK, "")
        _note(config, meaning, name, world, FAILED, "as the contract says")
        pytest.fail(f"known-differences.txt is not true any more of {world.name}: take it out", pytrace=False)
    if said == today or config.getoption("--record"):
        _note(config, meaning, name, world, KNOWN, said)
        pytest.xfail(said)
    _note(config, meaning, name, world, FAILED, said)
    if today is not None:
        pytest.fail(f"{said} (known-differences.txt says: {today})", pytrace=False)
    raise different


_loaded: differences.Known | None = None


def _known(config: pytest.Config) -> differences.Known:
    global _loaded
    _loaded = differences.load() if _loaded is None else _loaded
    return _loaded


def _note(config: pytest.Config, meaning: Meaning, name: str, world: World, kind: str, why: str) -> None:
    gc.collect(0)
    path = config.getoption("--outcomes")
    if path is None:
        return
    row = {"section": meaning.section, "scenario": name, "sentence": meaning.sentence, "state": meaning.state,
           "service": world.name, "outcome": kind, "why": why}
    with path.open("a", encoding="utf-8") as out:
        out.write(json.dumps(row, ensure_ascii=False) + "\n")
