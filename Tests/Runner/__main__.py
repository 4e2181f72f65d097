"""Runs the tests, part by part, and ends with the line "N passed, N failed, N skipped"."""

from __future__ import annotations

import argparse
import sys

from context import Context, PartFailure, causes, now, seconds_text, show_tail
from counts import Counts
from parts import PARTS, Part
from processes import hear_interrupts

DESCRIPTION = """\
Builds Hoist and runs its tests. What is missing on the machine is installed first: Debian packages with apt-get
(as root; otherwise you are told what to install), and a Python environment in .venv.

Build folders (.build, .build-release, .build-asan, .build-tsan …) are kept, so that the second run is quick.
Each part writes .build-logs/PART.log. A part whose folder does not exist is left out.
"""


def parse(arguments: list[str]) -> argparse.Namespace:
    parts = "\n".join(f"  {part.name:12} {part.what}{' (--full)' if part.is_full_only else ''}" for part in PARTS)
    parser = argparse.ArgumentParser(prog="Tests/run", description=DESCRIPTION, epilog=f"parts:\n{parts}",
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true",
                        help="also the long parts: everything under both sanitizers, valgrind (up to 80 minutes)")
    parser.add_argument("--only", metavar="PART", action="append", choices=[part.name for part in PARTS],
                        help="this part and what it needs; may be given several times")
    parser.add_argument("--list", action="store_true", help="name the parts and stop")
    return parser.parse_args(arguments)


def choose(options: argparse.Namespace, context: Context) -> list[Part]:
    if options.only:
        wanted = set(options.only)
        for part in reversed(PARTS):
            if part.name in wanted:
                wanted |= set(part.needs)
        return [part for part in PARTS if part.name in wanted]
    return [part for part in PARTS if context.has(*part.folders) and (options.full or not part.is_full_only)]


def run_part(part: Part, context: Context, failed: set[str]) -> Counts:
    context.part = part.name
    context.failures = []
    broken = [name for name in part.needs if name in failed]
    if broken:
        print(f"    not run: {broken[0]} failed", flush=True)
        return Counts(failed=1)
    log = context.logs / f"{part.name}.log"
    log.unlink(missing_ok=True)
    try:
        result = part.counts(context)
    except PartFailure as failure:
        context.failures.append(str(failure))
        result = Counts(failed=1)
    if result.failed:
        failed.add(part.name)
        show_tail(log)
        for failure in context.failures:
            print(f"    {failure}")
    return result


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    if options.list:
        print("\n".join(part.name for part in PARTS))
        return 0
    hear_interrupts()
    context = Context(is_full=options.full)
    context.logs.mkdir(exist_ok=True)
    chosen = choose(options, context)
    total, failed, begin = Counts(), set(), now()
    rows = []
    for position, part in enumerate(chosen, 1):
        print(f"[{position}/{len(chosen)}] {part.name}: {part.what}", flush=True)
        start = now()
        result = run_part(part, context, failed)
        total += result
        took = seconds_text(now() - start)
        rows.append((part.name, result, took))
        print(f"    {result} ({took})", flush=True)
    print(f"\nAfter {seconds_text(now() - begin)}:")
    for name, result, took in rows:
        print(f"  {name:12} {str(result):40} {took}")
    # Once more at the end: of a long output often only that is kept.
    for name in sorted(failed):
        print(f"{name} failed, see {context.logs.name}/{name}.log")
        for line in causes(context.logs / f"{name}.log")[:8]:
            print(f"  | {line}")
    print(f"{total}", flush=True)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
