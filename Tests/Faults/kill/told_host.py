"""A host of one service that is told what to do, line by line, on one store."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import journals
from world import stored_events


class ToldHost:
    """A process of a program such as `flagship_host.c`. It answers each line with one of its own, until it ends or is killed."""

    def __init__(self, program: Path, properties: Path, environment: dict[str, str]) -> None:
        self.said: list[str] = []
        self._process = subprocess.Popen([program, properties], env={**os.environ, "SWIFT_BACKTRACE": "enable=no", **environment},
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def __call__(self, line: str) -> str:
        """What it says to one line."""
        assert self._process.stdin and self._process.stdout
        print(line, file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline().strip()
        assert answer, self._process.communicate(timeout=20)[1]
        self.said.append(answer)
        return answer

    def run(self, *lines: str) -> bool:
        """Tells it everything at once; answers whether it came to its own end."""
        output, errors = self._process.communicate("\n".join(lines) + "\n", timeout=120)
        self.said += output.splitlines()
        assert errors == "", errors
        assert self._process.returncode in (0, -signal.SIGKILL), self._process.returncode
        return self._process.returncode == 0

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate(timeout=20)

    def finish(self) -> None:
        assert self("close") == "closed host"
        assert self.run()

    def leave(self) -> None:
        """Whatever the service has not taken stays in the store."""
        assert self("leave") == "closed host"
        assert self.run()


class ToldWorld:
    """The store, and the hosts on it."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.program = program
        self.folder = folder
        self.seen = journals.Seen()
        """In all stores of this world."""

    def properties(self) -> dict[str, Any]:
        """Those that every host has."""
        return {"store.path": str(self.folder / "store"), "log.level": "none"}

    def renew(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def start(self, environment: dict[str, str] | None = None, **properties: Any) -> ToldHost:
        """Names of properties have `__` for a point."""
        self.folder.mkdir(parents=True, exist_ok=True)
        given = {**self.properties(), **{name.replace("__", "."): value for name, value in properties.items()}}
        file = self.folder / "properties.json"
        file.write_text(json.dumps(given))
        return ToldHost(self.program, file, environment or {})

    def rows(self) -> list[tuple[str, str]]:
        """Pipeline and payload of what is in the store that nobody has open, read from a copy."""
        copy = self._copy()
        self.seen.add(journals.in_folder(copy))
        return [(pipeline, bytes(payload).decode()) for pipeline, payload in stored_events(copy, "rw")]

    def stores(self, text: str) -> bool:
        """Whether an event in the store, which a host has open, has this text."""
        try:
            return any(text.encode() in payload for _, payload in stored_events(self.folder / "store", "ro"))
        except sqlite3.OperationalError:
            return False  # it is being made

    def keys(self) -> list[str]:
        """The names of the values in the store."""
        return [str(key) for key, in self._select("entries", "key") if str(key) >= "\x02"]

    def value(self, key: str) -> Any:
        """The JSON document under that name in the store; None for none."""
        values = {str(name): bytes(value) for name, value in self._select("entries", "key, value")}
        if key not in values:
            return None
        parts = b"".join(values[name] for name in sorted(values) if name.startswith(f"\x01{key}\x01"))
        document, *additions = [json.loads(line) for line in (values[key] + parts).split(b"\n")]
        for addition in additions:
            for name, more in addition.items():
                document[name] = document.get(name, []) + more
        return document

    def _copy(self) -> Path:
        """Of the store: looking must not change it."""
        copy = self.folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        if (self.folder / "store").exists():
            shutil.copytree(self.folder / "store", copy)
        return copy

    def _select(self, table: str, columns: str) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        for file in self._copy().glob("*.sqlite"):
            database = sqlite3.connect(f"file:{file}?mode=rw", uri=True)
            try:
                if database.execute("SELECT count(*) FROM sqlite_master WHERE name = ?", (table,)).fetchone() == (1,):
                    found += database.execute(f"SELECT {columns} FROM {table}").fetchall()
            finally:
                database.close()
        return found
