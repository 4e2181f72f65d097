"""Runs the program `optimizely_day` against a strict simulator of Optimizely's services.

First online; then a run that is killed between recording and sending; then one that finds in the store what the killed
one had recorded. The simulator refuses any request that is not exactly as the service expects it, and books every event
by its id.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from optimizely import OptimizelySimulator, sample_datafile

PROGRAM = pathlib.Path(os.environ["HOIST_EXAMPLES"]) / "optimizely_day_program"


def command(mode: str, service: OptimizelySimulator, store: str) -> list[str]:
    return [str(PROGRAM), mode, service.sdk_key, service.datafile_url, service.events_url, store]


def run(mode: str, service: OptimizelySimulator, store: str) -> None:
    print(f"{mode}:", flush=True)
    done = subprocess.run(command(mode, service, store), capture_output=True, text=True, timeout=60, check=False)
    print(done.stdout, end="")
    print(done.stderr, end="", file=sys.stderr)
    if done.returncode != 0:
        sys.exit(f"{mode}: exit status {done.returncode}")


def record_and_be_killed(service: OptimizelySimulator, store: str) -> None:
    print("record, without a network:", flush=True)
    with subprocess.Popen(command("record", service, store), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        for line in process.stdout:
            print(line if line.startswith(" ") else f"  {line}", end="")
            if line == "recorded\n":
                break
        process.kill()
        process.wait()
    print("  killed")


def main() -> None:
    with tempfile.TemporaryDirectory() as store, OptimizelySimulator(sample_datafile()) as service:
        run("online", service, store)
        record_and_be_killed(service, store)
        before = set(service.ledger.uuids())
        run("deliver", service, store)
        uuids = service.ledger.uuids()
        print("impressions:", json.dumps(service.ledger.impressions()))
        print("conversions:", json.dumps(service.ledger.conversions()))
        print(f"{len(set(uuids) - before)} of {len(uuids)} events came from the killed process")
        assert service.violations == [], service.violations
        assert len(before) == 4 and len(uuids) == 6, uuids
        assert set(uuids.values()) == {1}, uuids


main()
