"""Runs the program `flagship_day` against a strict simulator of AB Tasty Flagship's services.

First with a bucketing file, and once more with the service gone; then with flags that the service decides; with a visitor
who refuses; and last a run that is killed before it has sent anything, and the next one, which finds it in the store.
"""
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

from flagship import FlagshipSimulator, sample_bucketing

ANNA_GREEN = "anna/hgrp0checkoutvip0001/hvar0checkoutgrn0001"
PROGRAM = pathlib.Path(os.environ["HOIST_EXAMPLES"]) / "flagship_day_program"


def command(mode: str, service: FlagshipSimulator, store: str) -> list[str]:
    return [str(PROGRAM), mode, service.environment_id, service.api_key, service.decision_url, service.cdn_url,
            service.events_url, store]


def run(mode: str, service: FlagshipSimulator, store: str, title: str) -> list[str]:
    print(f"{title}:", flush=True)
    done = subprocess.run(command(mode, service, store), capture_output=True, text=True, timeout=60, check=False)
    print(done.stdout, end="")
    print(done.stderr, end="", file=sys.stderr)
    if done.returncode != 0:
        sys.exit(f"{mode}: exit status {done.returncode}")
    return [line.strip() for line in done.stdout.splitlines()]


def record_and_be_killed(service: FlagshipSimulator, store: str) -> None:
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


def come_back(service: FlagshipSimulator) -> None:
    """The service is there again, but not for what processes that have ended had sent before."""
    assert service.wait_for_silence()
    service.faults.clear()


def cached_visitors(store: str) -> set[str]:
    """Whose flags and assignments the store has."""
    found: set[str] = set()
    for file in pathlib.Path(store).glob("*.sqlite"):
        with sqlite3.connect(file) as database:
            found |= {key for key, in database.execute("SELECT key FROM entries") if "visitor" in key}
    return found


def main() -> None:
    with tempfile.TemporaryDirectory() as store, FlagshipSimulator(sample_bucketing()) as service:
        online = run("bucketing", service, store, "bucketing")
        assert service.ledger.hits("TRANSACTION", "anna") and service.ledger.activations("anna")

        service.fail("any", "close", times=None)
        offline = run("bucketing", service, store, "bucketing, with the service gone")
        assert [line for line in online if "=" in line] == [line for line in offline if "=" in line]
        come_back(service)

        # What could not be sent goes out, too, and the next run does not send it again.
        assert "delivered: HOIST_OK" in run("decisions", service, store, "flags that the service decides")
        assert service.ledger.exposures()[ANNA_GREEN] == 2
        assert len(service.ledger.decisions("anna")) == 1

        run("consent", service, store, "a visitor refuses")
        assert service.ledger.consents("carla") == [True, False]
        assert len(service.ledger.hits(visitor="carla")) == 2 and not service.ledger.activations("carla")
        assert any("anna" in key for key in cached_visitors(store)), cached_visitors(store)
        assert not any("carla" in key for key in cached_visitors(store)), cached_visitors(store)

        # From here on nothing may come twice.
        service.options.change(distinct=True, exactly_once=True)
        service.fail("any", "close", times=None)
        record_and_be_killed(service, store)
        come_back(service)
        assert not service.ledger.hits(visitor="ben") and not service.ledger.activations("ben")
        assert "delivered: HOIST_OK" in run("deliver", service, store, "the next run"), service.violations
        kinds = [hit["t"] for hit in service.ledger.hits(visitor="ben")]
        print("of the killed process came:", json.dumps(kinds), json.dumps(service.ledger.exposures()))
        assert sorted(kinds) == ["EVENT", "SCREENVIEW", "SEGMENT", "TRANSACTION"], kinds
        assert len(service.ledger.activations("ben")) == 1
        assert service.violations == [], service.violations
        print("violations:", service.violations)


main()
