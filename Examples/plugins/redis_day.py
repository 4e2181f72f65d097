"""Runs the program of `redis.c` over a Redis of its own: two machines record without a network, a third delivers for both.

The server is started on a socket in a folder of this run; nothing of a Redis that is installed is touched.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "c"))
from day import program, run
from unleash import UnleashSimulator


def main() -> None:
    features = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder, UnleashSimulator(json.loads(features.read_text())) as service:
        socket = f"{folder}/redis.sock"
        command = ["redis-server", "--port", "0", "--unixsocket", socket, "--dir", folder, "--save", ""]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as redis:
            try:
                assert redis.stdout is not None
                assert any("accept connections at" in line for line in redis.stdout), "redis-server has not started"
                options = json.dumps({"socket": socket, "scope": "unleash:example"})
                client = [program("redis_program"), str(features), os.environ["HOIST_REDIS"], options]
                for machine in ("a machine without a network", "another one"):
                    run(client, machine)
                run([*client, service.api_url, service.backend_key], "a third one, which has a network")
                print("the service has booked:", json.dumps(service.ledger.totals()), json.dumps(service.ledger.impact()["purchase"]))
                assert service.violations == [], service.violations
                assert service.ledger.totals()["banner"]["yes"] == 2
            finally:
                redis.kill()


main()
