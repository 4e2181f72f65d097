"""Runs the scenarios, several at a time as they spend their time waiting, and looks after the table."""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "Simulators"), str(HERE.parent / "Python")]

import differences  # noqa: E402
import table  # noqa: E402

WORDS = ("passed", "failed", "skipped", "xfailed", "error", "errors")


def shard(number: int, count: int, outcomes: Path, arguments: list[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "pytest", "-q", "--shard", f"{number}/{count}", "--outcomes", str(outcomes), *arguments]
    return subprocess.Popen(command, cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            env={**os.environ, "SWIFT_BACKTRACE": "enable=no"})


def counts_of(output: str) -> Counter[str]:
    closing = output.strip().splitlines()[-1] if output.strip() else ""
    found = Counter({word: int(number) for number, word in re.findall(r"(\d+) (\w+)", closing) if word in WORDS})
    return found or Counter(failed=1)  # it died


def main() -> int:
    parser = argparse.ArgumentParser(prog="Tests/Contract/run", description=__doc__, epilog="Other arguments go to pytest: -k NAME …")
    parser.add_argument("--table", action="store_true", help=f"write {table.PAGE.name}")
    parser.add_argument("--record", action="store_true", help="write known-differences.txt anew, and the table")
    parser.add_argument("--jobs", type=int, default=6, help="how many run at a time")
    options, arguments = parser.parse_known_args()
    is_whole = not [argument for argument in arguments if argument.startswith("-k") or not argument.startswith("-")]
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{number}.jsonl" for number in range(options.jobs)]
        more = [*arguments, *(["--record"] if options.record else [])]
        running = [shard(number, options.jobs, file, more) for number, file in enumerate(files)]
        for process in running:
            output, _ = process.communicate()
            counts = counts_of(output)
            if process.returncode not in (0, 5) and not counts["failed"] and not counts["errors"] and not counts["error"]:
                counts["failed"] += 1
            total += counts
            if process.returncode not in (0, 5):
                print(output)
        rows = [json.loads(line) for file in files if file.exists() for line in file.read_text(encoding="utf-8").splitlines()]
    rows.sort(key=_order(rows))
    if options.record:
        kept = {} if is_whole else differences.load()
        ran = {(row["scenario"], row["service"]) for row in rows}
        found = {(row["scenario"], row["service"]): row["why"] for row in rows if row["outcome"] == "known"}
        differences.save({**{key: why for key, why in kept.items() if key not in ran}, **found})
    if is_whole:
        total += check_table(table.page(rows), options.table or options.record)
    failed = total["failed"] + total["errors"] + total["error"]
    print(f"{total['xfailed']} of these differences are known")
    print(f"{total['passed']} passed, {failed} failed, {total['skipped'] + total['xfailed']} skipped")
    return 1 if failed else 0


def _order(rows: list[dict[str, str]]):
    """As the files have the scenarios."""
    places: dict[str, int] = {}
    for path in sorted(HERE.glob("test_*.py")):
        for name in re.findall(r"^def test_(\w+)", path.read_text(encoding="utf-8"), re.M):
            places.setdefault(name, len(places))
    names = list(table.ALL)
    return lambda row: (int(row["section"]), places.get(row["scenario"], 0), names.index(row["service"]))


def check_table(page: str, writes: bool) -> Counter[str]:
    """The committed table is what a run prints."""
    if writes:
        table.PAGE.parent.mkdir(exist_ok=True)
        table.PAGE.write_text(page, encoding="utf-8")
        return Counter(passed=1)
    before = table.PAGE.read_text(encoding="utf-8") if table.PAGE.exists() else ""
    if before == page:
        return Counter(passed=1)
    print("Documentation/contract.md is not what this run prints; Tests/Contract/run --table writes it:")
    print("\n".join(list(difflib.unified_diff(before.splitlines(), page.splitlines(), "committed", "this run", lineterm="", n=0))[:60]))
    return Counter(failed=1)


if __name__ == "__main__":
    sys.exit(main())
