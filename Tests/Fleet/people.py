"""Processes that know many people (people_host.c), and the services whose people can refuse."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flagship import FlagshipSimulator, sample_bucketing
from host import Process
from kameleoon import KameleoonSimulator, sample_configuration

HERE = Path(__file__).resolve().parent


class People(Process):
    """What is done is done for the people from `first` to before `last`."""

    def answers(self, first: int, last: int) -> str:
        return self.do(f"answers {first} {last}")

    def meet(self, first: int, last: int) -> None:
        assert self.do(f"meet {first} {last}") == "HOIST_OK"

    def record(self, first: int, last: int) -> None:
        assert self.do(f"record {first} {last}") == "HOIST_OK"


@pytest.fixture(name="flagship")
def flagship_service() -> Iterator[FlagshipSimulator]:
    with FlagshipSimulator(sample_bucketing()) as made:
        yield made
    assert made.violations == []


@pytest.fixture(name="kameleoon")
def kameleoon_service() -> Iterator[KameleoonSimulator]:
    with KameleoonSimulator(sample_configuration(consent="PARTIALLY_BLOCK")) as made:
        yield made
    assert made.violations == []


def of_flagship(service: FlagshipSimulator) -> dict[str, Any]:
    """Nothing goes before a flush."""
    return {"env_id": service.environment_id, "api_key": service.api_key, "decision.url": service.decision_url, "cdn.url": service.cdn_url,
            "events.url": service.events_url, "usage_tracking": "false", "mode": "bucketing", "hits.batch_interval": 86_400,
            "hits.pool_max_size": 5000}


def of_kameleoon(service: KameleoonSimulator) -> dict[str, Any]:
    return {"site_code": service.site_code, "configuration.url": service.configuration_url, "data.url": service.data_url,
            "stream.url": service.stream_url, "token.url": service.token_url, "visitor_code": "own"}


@pytest.fixture(name="people")
def people_starter(compiled: Callable[..., Path], redis_plugin: Path, tmp_path: Path) -> Iterator[Callable[..., People]]:
    """Starts one of a service, with its properties, and options of the plug-in."""
    program = compiled(HERE / "people_host.c", "people_host")
    made: list[People] = []

    def one(service: str, properties: dict[str, Any], **options: object) -> People:
        command: list[str | Path] = [program, service, redis_plugin, json.dumps({"scope": f"{service}:test", **options})]
        told = {"log.level": "debug", **properties}
        made.append(People(command + [f"{name}={value}" for name, value in told.items()], tmp_path / f"people-{len(made)}.log"))
        return made[-1]

    yield one
    for each in made:
        each.kill()
