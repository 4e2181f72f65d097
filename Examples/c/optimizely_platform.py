"""Runs the program `optimizely_platform` against a strict simulator of Optimizely's services, where mia has subscribed to
the newsletter. The simulator refuses any request that is not exactly as the data platform expects it.
"""
import os
import pathlib
import subprocess
import sys

from optimizely import OptimizelySimulator, sample_datafile

PROGRAM = pathlib.Path(os.environ["HOIST_EXAMPLES"]) / "optimizely_platform_program"


def main() -> None:
    with OptimizelySimulator(sample_datafile()) as service:
        service.customers.qualify("mia", "newsletter")
        done = subprocess.run([str(PROGRAM), service.sdk_key, service.datafile_url, service.events_url],
                              capture_output=True, text=True, timeout=60, check=False)
        print(done.stdout, end="")
        print(done.stderr, end="", file=sys.stderr)
        if done.returncode != 0:
            sys.exit(f"exit status {done.returncode}")
        accepted = sorted(f"{event['type']}/{event['action']}" for event in service.ledger.platform_events())
        print("accepted by the service:", ", ".join(accepted))
        assert service.violations == [], service.violations
        assert accepted == ["fullstack/client_initialized", "fullstack/identified", "shop/bought"], accepted
        assert set(service.ledger.idempotence_ids().values()) == {1}
        # The service's own, then ours: neither platform hears of the other's users.
        assert done.stdout.count("rule ranking_regulars") == 2, done.stdout
        assert done.stdout.count("our platform gets") == 3, done.stdout


main()
