"""Log lines go to Python's `logging`, as a host of Python's expects, unless it says otherwise."""

from __future__ import annotations

import copy
import logging
import subprocess
import sys
from pathlib import Path

import pytest
from unleash import UnleashSimulator
from waiting import until

import hoist
from hoist import flagship, kameleoon, launchdarkly, optimizely, unleash

OFFLINE = {"online": False, "store": "none", "log_level": "info"}
LEVELS = {"warning": logging.WARNING, "info": logging.INFO, "debug": logging.DEBUG}


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """What reaches the logger "hoist"."""
    caplog.set_level(logging.DEBUG, "hoist")
    return caplog


def test_lines_go_to_the_logger_hoist_at_their_levels(service: UnleashSimulator, open_client, lines) -> None:
    """(UNL-75; failing, ready)"""
    service.fail("frontend", "status", status=503)
    assert open_client("frontend", log_level="debug", refresh_interval=1).wait_ready(15)
    assert until(lambda: set(LEVELS.values()) <= {record.levelno for record in lines.records})
    assert {record.name for record in lines.records} == {"hoist"}
    refused = next(record for record in lines.records if "503" in record.getMessage() and record.levelno > logging.DEBUG)
    assert refused.levelno == logging.WARNING


@pytest.mark.parametrize("given", ["plug-in", "logger", "configuration"])
def test_a_logger_of_the_hosts_takes_them_all(lines: pytest.LogCaptureFixture, given: str) -> None:
    taken: list[str] = []

    class Own(hoist.Logger):
        def write(self, level: hoist.LogLevel, message: str) -> None:
            taken.append(message)

    other = logging.getLogger("flags")
    other.setLevel(logging.INFO)
    config = hoist.Config("unleash", **OFFLINE)  # type: ignore[arg-type]
    if given == "configuration":
        config.set_logger(Own())
    logger = {"plug-in": Own(), "logger": other}.get(given)
    with hoist.Client(copy.copy(config), logger=logger) as client:
        client.close(5)
    taken += [record.getMessage() for record in lines.records if record.name == "flags"]
    assert until(lambda: taken) and "closed" in " ".join(taken)
    assert [record for record in lines.records if record.name == "hoist"] == []


@pytest.mark.parametrize(("face", "key"), [
    (unleash, {}), (optimizely, {"sdk_key": "k"}), (launchdarkly, {"mobile_key": "k"}),
    (flagship, {"env_id": "e", "api_key": "k"}), (kameleoon, {"site_code": "s"}),
])  # fmt: skip
def test_so_do_the_clients_of_every_service(face, key: dict, lines: pytest.LogCaptureFixture) -> None:
    given = {name: value for name, value in OFFLINE.items() if face is not flagship or name != "log_level"}
    face.Client({"log.level": "info"}, **key, **given).close(5)
    assert until(lambda: any(record.name == "hoist" for record in lines.records))


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-X", "dev", "-W", "ignore", "-c", "import logging, hoist\n" + program],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


OPEN = """
client = hoist.Client("unleash", mode="backend", store="none", url="http://127.0.0.1:9/api", key="k", log_level="info")
client.refresh()
while client.state is hoist.State.NOT_READY: pass
"""


def test_a_host_that_configures_nothing_sees_warnings_alone() -> None:
    """As `logging` has it for those: on standard error, without levels and names."""
    ended = run(OPEN)
    assert (ended.returncode, ended.stdout) == (0, "")
    assert ended.stderr.startswith("hoist[unleash]: ") and "opened" not in ended.stderr


def test_a_host_that_configures_sees_what_it_asks_for() -> None:
    ended = run('logging.basicConfig(level="INFO", format="%(levelname)s|%(name)s|%(message)s")' + OPEN)
    told = [line.split("|")[:2] for line in ended.stderr.splitlines()]
    assert ended.returncode == 0 and ["INFO", "hoist"] in told and ["WARNING", "hoist"] in told


def test_lines_that_come_while_the_interpreter_ends_do_no_harm() -> None:
    """Many ends, with lines under way and handlers that are being taken down (G4; closing)."""
    for _ in range(10):
        ended = run(f"""
logging.basicConfig(level="DEBUG", stream=open("/dev/null", "w"))
hoist.set_exit_limit(0.2)
clients = [hoist.Client("unleash", mode="backend", url="http://127.0.0.1:9/api", key="k", **{{**{OFFLINE!r}, "online": True,
           "log_level": "debug"}}) for _ in range(5)]
for client in clients: client.refresh()
""")
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_a_logger_of_a_shared_object_is_told_otherwise(tmp_path: Path, lines: pytest.LogCaptureFixture) -> None:
    """What `load_plugin` brings is neither refused nor displaced."""
    source, built = tmp_path / "log.c", tmp_path / "log.so"
    source.write_text("""
#include <stdio.h>
#include <hoist/hoist.h>
static void write_line(void *user_data, hoist_log_level level, const char *message, size_t length) {
    FILE *file = fopen((const char *)user_data, "a");
    (void)level, (void)length;
    if (file) { fprintf(file, "%s\\n", message); fclose(file); }
}
static char path[512];
static hoist_status make(const char *options, hoist_logger *logger, char *message, size_t size) {
    (void)message, (void)size;
    snprintf(path, sizeof path, "%s", options);
    logger->user_data = path;
    logger->write = write_line;
    return HOIST_OK;
}
static const hoist_plugin plugin = {.struct_size = sizeof plugin, .abi_version = HOIST_PLUGIN_ABI, .name = "log",
                                    .create_logger = make};
HOIST_PLUGIN_EXPORT const hoist_plugin *hoist_plugin_entry(uint32_t abi) { (void)abi; return &plugin; }
""")
    include = Path(__file__).resolve().parents[2] / "Include"
    subprocess.run(["cc", "-shared", "-fPIC", f"-I{include}", str(source), "-o", str(built)], check=True)
    config = hoist.Config("unleash", {"online": False, "store": "none", "log.level": "info"})
    config.load_plugin(built, str(tmp_path / "lines"))
    hoist.Client(config).close(5)
    assert until(lambda: (tmp_path / "lines").exists() and "closed" in (tmp_path / "lines").read_text())
    assert lines.records == []
