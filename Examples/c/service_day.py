"""Runs the program `service` against a strict simulator of the Unleash service, in both modes, and then without it.

The simulator refuses any request that is not exactly as the service expects it, and books what it accepted.
"""
import json
import pathlib
import sys
import tempfile

from day import program, run
from unleash import UnleashSimulator


def flags_in(output: list[str]) -> list[str]:
    return [line.strip() for line in output if " is o" in line or line.strip().startswith("banner:")]


def main() -> None:
    document = json.loads(pathlib.Path(sys.argv[1]).read_text())
    with tempfile.TemporaryDirectory() as store, UnleashSimulator(document) as service:
        places = {
            "frontend": (service.frontend_url, service.frontend_key),
            "backend": (service.api_url, service.backend_key),
        }
        online = {mode: run([program("service"), mode, *place, store], mode) for mode, place in places.items()}
        totals = service.ledger.totals()
        print("the service has booked:", json.dumps(totals))
        print("and the tracked events:", json.dumps(service.ledger.impact()["purchase"]))
        assert service.violations == [], service.violations
        assert totals["banner"]["yes"] == 2 and totals["new-checkout"]["yes"] + totals["new-checkout"]["no"] == 2, totals
        service.stop()
        print("the network is gone; the next run is served from the store")
        for mode, place in places.items():
            offline = run([program("service"), f"offline-{mode}", *place, store], f"offline-{mode}")
            assert flags_in(offline) == flags_in(online[mode]), (offline, online[mode])


main()
