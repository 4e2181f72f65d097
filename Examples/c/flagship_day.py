"""Runs the program `flagship_day` against a strict simulator of AB Tasty Flagship's services.

First with a bucketing file, and once more with the service gone; then with flags that the service decides; with a visitor
who refuses; and last a run that is killed before it has sent anything, and the next one, which finds it in the store.
"""
import json
import pathlib
import sqlite3
import tempfile

from day import program, run, run_until_killed
from flagship import FlagshipSimulator, sample_bucketing

ANNA_GREEN = "anna/hgrp0checkoutvip0001/hvar0checkoutgrn0001"


def command(mode: str, service: FlagshipSimulator, store: str) -> list[str]:
    return [program("flagship_day_program"), mode, service.environment_id, service.api_key, service.decision_url,
            service.cdn_url, service.events_url, store]


def come_back(service: FlagshipSimulator) -> None:
    """The service is there again, but not for what processes that have ended had sent before."""
    assert service.wait_for_silence()
    service.faults.clear()


def cached_visitors(store: str) -> dict[str, str]:
    """What the store keeps of each visitor."""
    found: dict[str, str] = {}
    for file in pathlib.Path(store).glob("*.sqlite"):
        with sqlite3.connect(file) as database:
            found |= {key: bytes(value).decode() for key, value in database.execute("SELECT key, value FROM entries") if "visitor" in key}
    return found


def main() -> None:
    with tempfile.TemporaryDirectory() as store, FlagshipSimulator(sample_bucketing()) as service:
        online = run(command("bucketing", service, store), "bucketing")
        assert service.ledger.hits("TRANSACTION", "anna") and service.ledger.activations("anna")

        service.fail("any", "close", times=None)
        offline = run(command("bucketing", service, store), "bucketing, with the service gone")
        assert [line for line in online if "=" in line] == [line for line in offline if "=" in line]
        come_back(service)

        # The run before has left a SEGMENT hit, which may come after this one has asked for decisions.
        service.options.change(segments="any")
        # What could not be sent goes out, too, and the next run does not send it again.
        assert "  delivered: HOIST_OK" in run(command("decisions", service, store), "flags that the service decides")
        assert service.ledger.exposures()[ANNA_GREEN] == 2
        assert len(service.ledger.decisions("anna")) == 1

        run(command("consent", service, store), "a visitor refuses")
        assert service.ledger.consents("carla") == [True, False]
        assert len(service.ledger.hits(visitor="carla")) == 2 and not service.ledger.activations("carla")
        kept = cached_visitors(store)
        assert "visitor:anna" in kept, kept
        # Of who refuses nothing is kept but the refusal.
        assert json.loads(kept["visitor:carla"]) == {"version": 1, "refused": True}, kept

        # From here on nothing may come twice.
        service.options.change(distinct=True, exactly_once=True)
        service.fail("any", "close", times=None)
        run_until_killed(command("record", service, store), "recorded", "record, without a network")
        come_back(service)
        assert not service.ledger.hits(visitor="ben") and not service.ledger.activations("ben")
        assert "  delivered: HOIST_OK" in run(command("deliver", service, store), "the next run"), service.violations
        kinds = [hit["t"] for hit in service.ledger.hits(visitor="ben")]
        print("of the killed process came:", json.dumps(kinds), json.dumps(service.ledger.exposures()))
        assert sorted(kinds) == ["EVENT", "SCREENVIEW", "SEGMENT", "TRANSACTION"], kinds
        assert len(service.ledger.activations("ben")) == 1
        assert service.violations == [], service.violations
        print("violations:", service.violations)


main()
