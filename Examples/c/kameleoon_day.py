"""Runs the program `kameleoon_day` against a strict simulator of Kameleoon's services.

Somebody who is not known yet logs in and keeps the variation, also on another device; the same with the service gone; and a
program that runs on while the site's configuration changes.
"""
import json
import subprocess
import sys
import tempfile

from day import program, run
from kameleoon import KameleoonSimulator, sample_configuration


def command(mode: str, service: KameleoonSimulator, store: str) -> list[str]:
    return [program("kameleoon_day_program"), mode, service.site_code, service.configuration_url, service.data_url,
            service.stream_url, service.token_url, store]


def variation(lines: list[str], who: str) -> str:
    """What a visitor got."""
    return next(line.split(": ", 1)[1] for line in lines if line.startswith(f"  {who}: "))


def follow(service: KameleoonSimulator, store: str) -> list[str]:
    """A program that is told of a new configuration while it runs."""
    print("a configuration that changes:", flush=True)
    lines = []
    with subprocess.Popen(command("live", service, store), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line.rstrip())
            print(line if line.startswith(" ") else f"  {line}", end="")
            if line == "waiting\n":
                assert service.wait_for_streams(1), "no stream was opened"
                changed = sample_configuration(real_time=True, dateModified=1767225700000)
                checkout = changed["featureFlags"][0]
                checkout |= {"rules": [], "defaultVariationKey": "short"}
                service.publish(changed, announce=True)
    if process.returncode != 0:
        sys.exit(f"live: exit status {process.returncode}")
    return lines


def main() -> None:
    with tempfile.TemporaryDirectory() as store, tempfile.TemporaryDirectory() as device, \
            KameleoonSimulator(sample_configuration()) as service:
        here = run(command("login", service, store), "somebody logs in")
        assert variation(here, "anonymous") == variation(here, "user"), "the variation changed with the login"
        ledger = service.ledger
        anonymous = ledger.owner(service.site_code, "user-17")
        assert anonymous != "user-17" and ledger.custom_data(anonymous) == {3: ["user-17"]}
        assert ledger.conversions() == {"123": {"count": 1, "revenue": 10.0}}
        assert {line.visitor for line in ledger.lines()} == {anonymous, "user-17"}
        print("linked: user-17 is", "the anonymous visitor", json.dumps(ledger.conversions()))

        there = run(command("again", service, device), "on another device")
        assert variation(there, "user") == variation(here, "user"), "another device, another variation"

        service.fail("any", "close", times=None)
        offline = run(command("offline", service, store), "with the service gone")
        assert [variation(offline, who) for who in ("anonymous", "user")] == [variation(here, "user")] * 2
        service.faults.clear()

        service.publish(sample_configuration(real_time=True, dateModified=1767225650000))
        live = follow(service, device)
        assert variation(live, "lena") == 'checkout is "express" in 1 steps', live
        assert variation(live, "lena, after the event") == 'checkout is "short" in 2 steps', live
        assert service.violations == [], service.violations
        print("violations:", service.violations)


main()
