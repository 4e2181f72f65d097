"""What a scenario is: a sentence of the contract, the state it is met in, and where a header says otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

INCLUDE = Path(__file__).resolve().parents[2] / "Include"
_STATE = re.compile(r"(?P<sentence>.+?)\s+State: (?P<state>.+)\.", re.S)


@dataclass(frozen=True)
class Sentence:
    """What a header says. It has to stand there, word by word."""

    header: str
    text: str
    how: str = ""
    """What then happens in place of what the scenario wants; empty where the service has no such thing at all."""

    def stands(self) -> bool:
        return self.text in _words_of(self.header)


@dataclass(frozen=True)
class Meaning:
    """What a scenario says of itself."""

    section: int
    sentence: str
    state: str
    needs: tuple[str, ...]
    """What a service has to have for it; adapters say what theirs lack, and where that is written."""
    unless: dict[str, Sentence] = field(default_factory=dict)
    """Services in which it differs, as a header says."""
    patience: float = 8.0
    """For how many seconds things that should happen are waited for."""


def scenario(section: int, *, needs: tuple[str, ...] = (), unless: dict[str, Sentence] | None = None,
             patience: float = 8.0) -> Callable[[Any], Any]:
    """Makes a test a scenario. Its docstring is one sentence of the contract, and the state: "… State: starting."."""

    def mark(function: Any) -> Any:
        said = _STATE.fullmatch(" ".join((function.__doc__ or "").split()))
        if said is None:
            raise ValueError(f'{function.__name__} does not say its sentence and its state: "… State: ready."')
        meaning = Meaning(section, said["sentence"], said["state"], needs, unless or {}, patience)
        return pytest.mark.scenario(meaning)(function)

    return mark


@cache
def _words_of(header: str) -> str:
    """A header without the signs of its comments, with single spaces."""
    lines = (INCLUDE / "hoist" / header).read_text(encoding="utf-8").splitlines()
    return " ".join(" ".join(re.sub(r"^\s*(/\*\*<?|\*/?|//+)|\*/\s*$|/\*\*<", " ", line) for line in lines).split())
