"""A day's worth of soak: a program lives with each service from one morning to the next, while its clock runs many times as fast.

HOIST_LIBRARY names the library. Prints how each does, hour by hour, and what must not be.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), *(str(HERE.parent / name) for name in ("Contract", "Simulators"))]
import clock  # noqa: E402
from account import Day  # noqa: E402
from day import Setting, live  # noqa: E402
from judgement import CHECKS, row  # noqa: E402
from soaked import SOAKED  # noqa: E402

MOST_FLAWS = 5
LOG_LINES = 20


def compiled(name: str, folder: Path, *options: str | Path) -> Path:
    made = folder / name
    subprocess.run([os.environ.get("CC", "cc"), "-Wall", "-Wextra", "-Werror", "-O1", "-std=gnu11", "-o", made, HERE / f"{name}.c",
                    "-pthread", *options], check=True)
    return made


class Tally:
    passed = failed = 0

    def check(self, name: str, flaws: list[str]) -> None:
        self.passed += not flaws
        self.failed += bool(flaws)
        shown = [f"#   {flaw}" for flaw in flaws[:MOST_FLAWS]]
        print("\n".join([f"{'not ok' if flaws else 'ok'} - {name}", *shown]), flush=True)
        if len(flaws) > MOST_FLAWS:
            print(f"#   and {len(flaws) - MOST_FLAWS} more")


def judge(day: Day, tally: Tally) -> None:
    failed = tally.failed
    for name, check in CHECKS.items():
        tally.check(f"{day.name} {name}", list(check(day)))
    if tally.failed > failed:
        print("\n".join(f"#   log: {line}" for line in day.log[-LOG_LINES:]))


def main() -> int:
    parser = argparse.ArgumentParser(prog="Tests/Soak/run", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--hours", type=int, default=24)
    parser.add_argument("--speed", type=int, default=200, help="how many times as fast the program's clock runs")
    parser.add_argument("services", nargs="*", metavar="SERVICE", help=f"of {', '.join(SOAKED)}; all of them if none is named")
    options = parser.parse_args()
    names = options.services or list(SOAKED)
    if unknown := set(names) - set(SOAKED):
        parser.error(f"no service {', '.join(sorted(unknown))}")
    library, tally = Path(os.environ["HOIST_LIBRARY"]).resolve(), Tally()
    with tempfile.TemporaryDirectory(prefix="hoist-soak-") as place:
        folder = Path(place)
        fast = compiled("fast_clock", folder, "-shared", "-fPIC")
        host = compiled("host", folder, "-I", HERE.parents[1] / "Include", library, f"-Wl,-rpath,{library.parent}")
        tally.check("every function that takes a time is wrapped", list(clock.unknown(host, fast)))
        waiting = compiled("clock_host", folder)
        tally.check("waits take their part of the true time", list(clock.wrong_waits(waiting, fast, options.speed)))
        setting = Setting(host, fast, options.hours, options.speed)
        with ProcessPoolExecutor(len(names), get_context("spawn")) as pool:
            days = list(pool.map(live, names, [setting] * len(names)))
    for day in days:
        judge(day, tally)
    print("\n".join(row(day) for day in days))
    print(f"{tally.passed} passed, {tally.failed} failed, 0 skipped")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
