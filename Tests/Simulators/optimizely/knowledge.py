"""What a request is checked against, beside itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

from .ledger import Ledger
from .options import Options
from .project import Project


@dataclass(frozen=True)
class Knowledge:
    """`projects` are all datafiles ever known, the last one first; `now` tells milliseconds since 1970."""

    projects: list[Project]
    ledger: Ledger
    options: Options
    now: Callable[[], int]
