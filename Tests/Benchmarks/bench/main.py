"""The command line: prepare, measure, report."""

import argparse
import json
import sys
from pathlib import Path

from . import environment, report
from .environment import Failure, progress
from .judge import judge
from .loopback import Loopback
from .measure import WORKLOADS, Measurement, write_documents


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="run", description="Measures Hoist beside its peers, in one run.")
    parser.add_argument("--quick", action="store_true", help="short runs and fewer sizes: a look, not a result")
    parser.add_argument("--only", metavar="W1,W2", help=f"some of {', '.join(WORKLOADS)}")
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write everything measured")
    parser.add_argument("--library", metavar="FILE", type=Path, help="measure this libhoist.so instead of building one")
    parser.add_argument("--without-hoist", action="store_true", help="peers and calibration only")
    parser.add_argument("--strict", action="store_true", help="a missed target or restless calibration is an error")
    given = parser.parse_args()
    given.only = [name.strip().upper() for name in (given.only or ",".join(WORKLOADS)).split(",")]
    for name in given.only:
        if name not in WORKLOADS:
            parser.error(f"no workload {name}")
    return given


def run(given: argparse.Namespace) -> int:
    python = environment.make_venv()
    harness, floor = environment.build_harness()
    hoist = None
    if not given.without_hoist:
        hoist = (given.library or environment.build_hoist()).resolve()
        if not hoist.exists():
            raise Failure(f"no {hoist}")
    sizes = write_documents(given.quick, given.only)
    server = Loopback(environment.WORK)
    try:
        measurement = Measurement(given.quick, harness, floor, python, hoist, server, sizes)
        records = measurement.run(given.only)
    finally:
        server.stop()
    verdicts = judge(records)
    report.show(records, verdicts)
    if given.json:
        given.json.write_text(json.dumps({
            "machine": report.machine(), "quick": given.quick, "records": records,
            "verdicts": [vars(verdict) for verdict in verdicts],
        }, indent=1) + "\n")
    return int(given.strict and any(verdict.is_missed for verdict in verdicts))


def main() -> int:
    try:
        return run(parse())
    except Failure as failure:
        print(f"benchmark failed: {failure}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
