#!/usr/bin/env python3
"""Runs the C tests over a debug build of the library, whose assertions say on which thread something may run.

  Tests/C/against_debug.py LIBHOIST.SO RUNTIME

RUNTIME is the folder of the Swift runtime, which a debug build does not contain. Prints each program's lines, and at the end
"N passed, N failed, N skipped"; exit status 1 when something failed, or a program did not come to its end.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Those that load or unload the library, run it in forked children, or measure it: a debug build is another one.
LEFT_OUT = {"dlclose", "exit", "fork", "fork_cost", "fork_early", "fork_store", "plugin_object", "plugin_object_refusals", "quiet",
            "signals", "two_copies"}


def run(source: Path, library: Path, runtime: Path, folder: Path) -> tuple[int, int, int]:
    """What a program counts; one that does not compile, or ends without its last line, counts as one failure."""
    program = folder / source.stem
    done = subprocess.run(
        ["cc", "-std=c99", "-D_GNU_SOURCE", "-I", HERE, "-I", HERE.parents[1] / "Include", "-o", program, source, library,
         "-ljansson", "-lpthread", "-ldl"], capture_output=True, text=True)
    if done.returncode == 0:
        environment = {**os.environ, "LD_LIBRARY_PATH": str(runtime), "SWIFT_BACKTRACE": "enable=no"}
        done = subprocess.run([program], cwd=HERE, env=environment, capture_output=True, text=True, timeout=300)
    print(f"{source.stem}: exit status {done.returncode}\n{done.stdout}{done.stderr}", flush=True)
    found = re.findall(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", done.stdout, re.M)
    if done.returncode != 0 and not any(int(failed) for _, failed, _ in found):
        return 0, 1, 0
    return tuple(sum(int(row[at]) for row in found) for at in range(3))  # type: ignore[return-value]


def main(library: Path, runtime: Path) -> int:
    sources = [path for path in sorted(HERE.glob("*.c")) if path.stem not in LEFT_OUT and "int main(" in path.read_text()]
    with tempfile.TemporaryDirectory() as name:
        totals = [sum(column) for column in zip(*(run(source, library, runtime, Path(name)) for source in sources))]
    print(f"{totals[0]} passed, {totals[1]} failed, {totals[2]} skipped")
    return 1 if totals[1] else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2])))
