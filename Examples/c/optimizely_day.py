"""Runs the program `optimizely_day` against a strict simulator of Optimizely's services.

First online; then a run that is killed between recording and sending; then one that finds in the store what the killed
one had recorded. The simulator refuses any request that is not exactly as the service expects it, and books every event
by its id.
"""
import json
import tempfile

from day import program, run, run_until_killed
from optimizely import OptimizelySimulator, sample_datafile


def command(mode: str, service: OptimizelySimulator, store: str) -> list[str]:
    return [program("optimizely_day_program"), mode, service.sdk_key, service.datafile_url, service.events_url, store]


def main() -> None:
    with tempfile.TemporaryDirectory() as store, OptimizelySimulator(sample_datafile()) as service:
        run(command("online", service, store), "online")
        run_until_killed(command("record", service, store), "recorded", "record, without a network")
        before = set(service.ledger.uuids())
        run(command("deliver", service, store), "deliver")
        uuids = service.ledger.uuids()
        print("impressions:", json.dumps(service.ledger.impressions()))
        print("conversions:", json.dumps(service.ledger.conversions()))
        print(f"{len(set(uuids) - before)} of {len(uuids)} events came from the killed process")
        assert service.violations == [], service.violations
        assert len(before) == 4 and len(uuids) == 6, uuids
        assert set(uuids.values()) == {1}, uuids


main()
