"""The example provider plug-in: flags from a file, without events. The file is its service, which can be missing or broken."""

from __future__ import annotations

import json
import os
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import hoist
from scenario import Sentence

from .base import REMOTE, Service

ROOT = Path(__file__).resolve().parents[3]


@cache
def _object(folder: str) -> Path:
    """The plug-in, compiled once in a process against the library under test."""
    library = Path(os.environ["HOIST_LIBRARY"]).resolve()
    built = Path(folder) / f"flag_file_provider-{os.getpid()}.so"
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-I", ROOT / "Include", "-o", built,
                    ROOT / "Examples/plugins/flag_file_provider.c", library, "-ljansson", f"-Wl,-rpath,{library.parent}"], check=True)
    return built


class FlagFile(Service):
    name = "flag-file"
    provider = "flag-file"
    quick = {"interval_ms": 50}
    identifies = True
    lacks = {
        "remote": REMOTE,
        "events": Sentence("provider.h", "on the thread that calls it, which gets the result. Without it: HOIST_ERR_UNSUPPORTED."),
        "persons": Sentence("provider.h", "Without it they hold for every context."),
        "network": Sentence("provider.h", "It finds out what the flags are and publishes them; Hoist compiles and evaluates them"),
        "bootstrap": Sentence("provider.h", "Flags may be published already."),
    }

    def start(self) -> None:
        _object(str(self.folder.parent))
        self.path = self.folder / "flags.json"
        self._fifo: int | None = None
        self.publish()

    def stop(self) -> None:
        self.heal()

    def configuration(self) -> hoist.Config:
        config = hoist.Config(self.provider)
        config.load_plugin(self.plugin())
        return config

    def plugin(self) -> str:
        return str(_object(str(self.folder.parent)))

    def properties(self) -> dict[str, Any]:
        return {"path": str(self.path), "interval_ms": 86_400_000}

    def document(self) -> str:
        def one(value: Any) -> dict[str, Any]:
            return {"state": "ENABLED", "variants": {"some": value}, "defaultVariant": "some"}

        return json.dumps({"flags": {flag: one(value) for flag, value in self.flags.items()}})

    def publish(self) -> None:
        self._write(self.document())

    def _write(self, text: str) -> None:
        new = self.path.with_suffix(".new")
        new.write_text(text)
        new.replace(self.path)

    def panic(self, on: bool = True) -> None:
        self._write('{"flags": {}}' if on else self.document())

    def fetches(self) -> int:
        return 0  # the file does not know who reads it

    def fail(self, status: int = 503, times: int | None = None, **more: Any) -> None:
        self.spoil()

    def spoil(self) -> None:
        self._write("{")

    def go_away(self) -> None:
        self.path.unlink()

    def come_back(self) -> None:
        self.publish()

    def hang(self) -> None:
        """A pipe that nobody writes to: reading it waits."""
        new = self.path.with_suffix(".pipe")
        os.mkfifo(new)
        new.replace(self.path)
        self._fifo = os.open(self.path, os.O_RDWR | os.O_NONBLOCK)

    def heal(self) -> None:
        self.publish()
        if self._fifo is not None:
            os.write(self._fifo, self.document().encode())
            os.close(self._fifo)
            self._fifo = None
