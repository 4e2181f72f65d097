"""What the parts of a run share: folders, running a command, keeping its output."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from counts import Counts, NothingCounted
from processes import kill_tree

ROOT = Path(__file__).resolve().parents[2]


class PartFailure(Exception):
    """A part could not go on; the text says why."""


@dataclass
class Context:
    is_full: bool = False
    logs: Path = ROOT / ".build-logs"
    part: str = ""
    failures: list[str] = field(default_factory=list)

    # Build folders are kept, so that the next run is quick.
    debug: Path = ROOT / ".build"
    release: Path = ROOT / ".build-release"
    release_clang: Path = ROOT / ".build-release-clang"
    asan: Path = ROOT / ".build-asan"
    tsan: Path = ROOT / ".build-tsan"
    tsan_library: Path = ROOT / ".build-tsan-library"
    asan_tests: Path = ROOT / ".build-asan-tests"

    @property
    def library(self) -> Path:
        return self.release / "lib" / "libhoist.so"

    @property
    def python(self) -> str:
        return sys.executable

    @property
    def toolchain(self) -> Path:
        """The folder of the Swift toolchain's programs."""
        swift = shutil.which("swift")
        if not swift:
            raise PartFailure("swift is not in PATH")
        return Path(swift).resolve().parent

    def has(self, *folders: str) -> bool:
        return all((ROOT / folder).exists() for folder in folders)

    def run(self, *command: str | Path, environment: dict[str, str] | None = None, minutes: float = 20,
            folder: Path = ROOT) -> tuple[int, str]:
        """Runs a command, its output going to the part's log. Returns exit status and output."""
        log = self.logs / f"{self.part}.log"
        words = [str(word) for word in command]
        with log.open("a") as out:
            out.write(f"$ {' '.join(words)}\n")
            out.flush()
            start = out.tell()
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, cwd=folder,
                                       env={**os.environ, **(environment or {})}, start_new_session=True)
            try:
                status = process.wait(timeout=minutes * 60)
            except subprocess.TimeoutExpired:
                kill_tree(process.pid)
                process.wait()
                status = 124
                out.write(f"\nended after {minutes} minutes\n")
            except KeyboardInterrupt:
                kill_tree(process.pid)
                raise
        with log.open(errors="replace") as written:
            written.seek(start)
            output = written.read()
        if status != 0:
            self.failures.append(f"{' '.join(words)}\n  exit status {status}, log {log.relative_to(ROOT)}")
        return status, output

    def check(self, *command: str | Path, **options) -> str:
        """run() for a command without which the part cannot go on."""
        status, output = self.run(*command, **options)
        if status != 0:
            raise PartFailure(f"{Path(str(command[0])).name} failed")
        return output

    def count(self, reader, *command: str | Path, **options) -> Counts:
        """run() for tests: their counts, with at least one failure when the exit status says so, or when the
        output tells of no test at all."""
        status, output = self.run(*command, **options)
        return self.judge(status, lambda: reader(output), Path(str(command[0])).name)

    def judge(self, status: int, read: Callable[[], Counts], name: str) -> Counts:
        """What tests amount to that ended with a status and left something to count."""
        try:
            counts = read()
        except NothingCounted as problem:
            self.failures.append(f"{name}: {problem}")
            return Counts(failed=1)
        if counts == Counts():
            self.failures.append(f"{name}: ran no test")
        if counts.failed == 0 and (status != 0 or counts == Counts()):
            counts.failed = 1
        return counts


CAUSE = re.compile(
    r"not ok |\berror:|✘|FAILED|\*\*\*(Failed|Exception|Timeout)|WARNING: ThreadSanitizer|ERROR: AddressSanitizer"
    r"|LeakSanitizer|runtime error")
# What a test in C complains of stands below its line.
COMPLAINT = re.compile(r"(\d+: )?#  ")


def causes(path: Path) -> list[str]:
    """The lines of a log that look like the cause."""
    if not path.exists():
        return []
    found: list[str] = []
    was_cause = False
    for line in path.read_text(errors="replace").splitlines():
        was_cause = bool(CAUSE.search(line) or was_cause and COMPLAINT.match(line))
        if was_cause:
            found.append(line[:300])
    return found


def show_tail(path: Path, lines: int = 60) -> None:
    """The end of a log, after what looks like the cause."""
    if not path.exists():
        return
    for line in causes(path)[:40]:
        print(f"  | {line}")
    print("  | ...")
    for line in path.read_text(errors="replace").splitlines()[-lines:]:
        print(f"  | {line[:300]}")


def seconds_text(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{seconds:.1f} s"


def now() -> float:
    return time.monotonic()
