"""Processes that know many people: see people_host.c."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from test_sharing import Process

HERE = Path(__file__).resolve().parent


class People(Process):
    """What is done is done for the people from `first` to before `last`."""

    def answers(self, first: int, last: int) -> str:
        return self.do(f"answers {first} {last}")

    def meet(self, first: int, last: int) -> None:
        assert self.do(f"meet {first} {last}") == "HOIST_OK"

    def record(self, first: int, last: int) -> None:
        assert self.do(f"record {first} {last}") == "HOIST_OK"


def starting(compiled: Callable[..., Path], plugin: Path, service: str, properties: dict[str, Any], options: dict[str, object], folder: Path) -> People:
    program = compiled(HERE / "people_host.c", "people_host")
    number = len(list(folder.glob("people-*.log")))
    command: list[str | Path] = [program, service, plugin, json.dumps(options)]
    return People(command + [f"{name}={value}" for name, value in properties.items()], folder / f"people-{number}.log")
