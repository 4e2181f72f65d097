"""Runs the program `launchdarkly_server` against a strict simulator of LaunchDarkly's service for servers.

The service sees all that the program has counted, and changes a flag while it waits.
"""
import os
import pathlib
import subprocess
import sys

from launchdarkly_server import LaunchDarklyServerSimulator, sample_data

PROGRAM = pathlib.Path(os.environ["HOIST_EXAMPLES"]) / "launchdarkly_server_program"
PAGES, VISITORS = 1000, 500


def read_to(process: subprocess.Popen, last: str) -> list[str]:
    found = []
    for line in process.stdout:
        if line.startswith(" "):
            print(line, end="", flush=True)
        found.append(line.strip())
        if line.strip() == last:
            return found
    sys.exit(f"the program ended before it said {last!r}")


def quiet_data() -> dict:
    """Counts say it all: half a million feature events of each tracked flag would be dropped for the most part."""
    data = sample_data()
    for key in ("banner", "checkout"):
        data["flags"][key]["trackEvents"] = False
    data["flags"]["trial"]["fallthrough"]["rollout"]["kind"] = "rollout"
    return data


def main() -> None:
    with LaunchDarklyServerSimulator(quiet_data()) as service:
        process = subprocess.Popen([str(PROGRAM), service.sdk_key, service.url], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        assert "exposures: HOIST_OK" in read_to(process, "waiting")
        for flag in ("dark-mode", "page-size", "checkout", "trial"):
            assert service.wait_for_evaluations(flag, PAGES * VISITORS), flag
        print(f"the service has counted {PAGES * VISITORS * 4:,} evaluations, of {VISITORS} contexts")
        service.set_flag("dark-mode", on=False)
        read_to(process, "dark-mode has other rules")
        rest, _ = process.communicate("\n", timeout=60)
        print(rest, end="")
        assert process.returncode == 0 and "dark now: 0" in rest and "events: HOIST_OK" in rest, rest
        assert service.ledger.custom()["purchase"]["count"] == 1
        assert service.violations == [], service.violations


main()
