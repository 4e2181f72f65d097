"""Runs the program `launchdarkly_day` against a strict simulator of LaunchDarkly's services, and once without.

The simulator changes a flag while the program waits, and sees its events; the second run finds nobody at the address,
and has the flags of the first.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from launchdarkly import LaunchDarklySimulator, sample_flags

PROGRAM = pathlib.Path(os.environ["HOIST_EXAMPLES"]) / "launchdarkly_day_program"


class Run:
    """One run of the program, line by line."""

    def __init__(self, mobile_key: str, url: str, store: str) -> None:
        self._process = subprocess.Popen([str(PROGRAM), mobile_key, url, store], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True)

    def read_to(self, last: str) -> list[str]:
        found = []
        for line in self._process.stdout:
            if line.startswith(" "):
                print(line, end="")
            found.append(line.strip())
            if line.strip() == last:
                return found
        sys.exit(f"the program ended before it said {last!r}")

    def finish(self) -> list[str]:
        rest, _ = self._process.communicate("\n", timeout=30)
        print(rest, end="")
        if self._process.returncode != 0:
            sys.exit(f"exit status {self._process.returncode}")
        return [line.strip() for line in rest.splitlines()]


def with_the_service(store: str) -> tuple[str, str]:
    flags = sample_flags(maintenance={"value": False, "version": 1, "variation": 1})
    with LaunchDarklySimulator(flags) as service:
        service.set_flag("banner", context="org:acme", value="Welcome, Acme")
        run = Run(service.mobile_key, service.url, store)
        assert "Anna's banner: Hello" in run.read_to("waiting")
        service.set_flag("maintenance", value=True, variation=0)
        began = time.monotonic()
        run.read_to("maintenance is on")
        took = time.monotonic() - began
        assert took < 1, took
        said = run.finish()
        assert "Acme's banner: Welcome, Acme" in said and "events: HOIST_OK" in said, said
        print(f"the change took {took * 1000:.0f} ms; the service has booked: {json.dumps(service.ledger.as_json()['counts'])}")
        assert service.ledger.kinds()["identify"] == 2 and service.ledger.custom()["purchase"]["count"] == 1
        assert service.ledger.evaluations("maintenance") == 2 and service.ledger.evaluations("banner") == 2
        assert service.violations == [], service.violations
        return service.mobile_key, service.url


def main() -> None:
    with tempfile.TemporaryDirectory() as store:
        print("with the service:", flush=True)
        mobile_key, url = with_the_service(store)
        print("without it:", flush=True)
        run = Run(mobile_key, url, store)
        said = run.read_to("waiting")
        assert "Anna's banner: Hello" in said and "maintenance is on" in said, said
        assert "Acme's banner: Welcome, Acme" in run.finish()


main()
