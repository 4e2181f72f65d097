"""Where the system gives no threads, clients go on without what needs them, say so, and ask for them now and then only."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import COMPILER, HERE, compiled
from test_services import Flagship, Kameleoon, LaunchDarkly, Optimizely
from unleash import UnleashSimulator
from world import FLAGS

# The network's; the store, the log, observers and plug-ins get none.
THREADS = 1
# Of each of those, in the time that a host takes.
ASKED = 6


class Unleash:
    name = "unleash"

    def __init__(self) -> None:
        self.service = UnleashSimulator(FLAGS)

    def properties(self) -> dict[str, Any]:
        return {"url": self.service.frontend_url, "key": self.service.frontend_key, "app_name": "shop"}


@pytest.fixture(scope="module")
def busy_host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled("busy_host", tmp_path_factory.mktemp("busy"))


@pytest.fixture(scope="module")
def no_threads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("threads") / "no_threads.so"
    subprocess.run([*COMPILER, "-shared", "-fPIC", "-o", made, HERE / "no_threads.c", "-ldl"], check=True)
    return made


@pytest.mark.parametrize("vendor", [Unleash, Optimizely, LaunchDarkly, Flagship, Kameleoon])
def test_clients_go_on_without_threads(busy_host: Path, no_threads: Path, tmp_path: Path, vendor: Any) -> None:
    """Flags are fetched and served without a store, one line says why, and threads are asked for once a second."""
    played = vendor()
    with played.service:
        properties = tmp_path / "properties.json"
        properties.write_text(json.dumps({**played.properties(), "store.path": str(tmp_path / "store"), "log.level": "warning"}))
        done = subprocess.run([busy_host, played.name, properties], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "LD_PRELOAD": str(no_threads), "THREADS": str(THREADS)})
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[1]) <= THREADS + 4 * ASKED, done.stdout
    assert done.stderr.count("store: the system gives no thread") == 1, done.stderr
