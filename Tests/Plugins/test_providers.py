"""Provider plug-ins: the example that serves flags from a file, and events that outlive their process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
EXAMPLES = ROOT / "Examples/plugins"
FLAGS = ROOT / "Examples/data/flags.json"


class Workshop:
    """Compiles C against the library under test, each source once."""

    def __init__(self, folder: Path, library: Path) -> None:
        self.folder, self.library = folder, library

    def compile(self, source: Path, name: str, *options: str) -> Path:
        built = self.folder / name
        if not built.exists():
            subprocess.run([os.environ.get("CC", "cc"), "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-g", *options,
                            "-I", ROOT / "Include", "-o", built, source, self.library, "-ljansson",
                            f"-Wl,-rpath,{self.library.parent}"], check=True)
        return built

    @property
    def plugin(self) -> Path:
        return self.compile(EXAMPLES / "flag_file_provider.c", "flag_file_provider.so", "-shared", "-fPIC")

    def run(self, program: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
        # The Swift runtime's own report of a crash can hang.
        environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no", "XDG_CACHE_HOME": str(self.folder)}
        return subprocess.run([program, *map(str, arguments)], env=environment, capture_output=True, text=True, timeout=90)

    def load(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        return self.run(self.compile(EXAMPLES / "load_provider.c", "load_provider"), *arguments)


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    named = os.environ.get("HOIST_LIBRARY")
    if not named:
        pytest.skip("HOIST_LIBRARY does not name the library")
    return Workshop(tmp_path_factory.mktemp("providers"), Path(named).resolve())


def test_the_example_registers_itself(workshop: Workshop) -> None:
    done = workshop.run(workshop.compile(EXAMPLES / "flag_file_provider.c", "flag_file_provider"), FLAGS)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["banner is on: STATIC, variation on", 'greeting is "Good day"']


def test_a_program_that_knows_a_name_and_a_file_serves_its_flags(workshop: Workshop) -> None:
    done = workshop.load(workshop.plugin, "flag-file", "path", FLAGS)
    assert (done.returncode, done.stderr) == (0, "")
    flags = json.loads(done.stdout)
    assert {key: (flag["value"], flag["variation"], flag["reason"]) for key, flag in flags.items()} == {
        "banner": (True, "on", "STATIC"), "greeting": ("Good day", "formal", "STATIC"),
        "page-size": (50, "large", "STATIC"), "theme": (None, "", "DISABLED")}
    assert flags["greeting"]["metadata"] == {"owner": "web"}


def flag(**members: object) -> str:
    return json.dumps({"flags": {"good": {"state": "ENABLED", "variants": {"on": True}, "defaultVariant": "on"},
                                 "odd": {"state": "ENABLED", "variants": {"on": True}, "defaultVariant": "on", **members}}})


@pytest.mark.parametrize(("content", "reason"), [
    ("{", "line 1: string or '}' expected near end of file"),
    ("[]", 'it has no member "flags"'),
    ('{"flags": []}', 'it has no member "flags"'),
    (flag(state="MAYBE"), 'flag "odd" has a state that is neither ENABLED nor DISABLED'),
    (flag(state=None), 'flag "odd" has a state that is neither ENABLED nor DISABLED'),
    (flag(variants={}), 'flag "odd" has no variants, or too many'),
    (flag(variants=[1]), 'flag "odd" has no variants, or too many'),
    (flag(defaultVariant="off"), 'flag "odd" has a defaultVariant that is none of its variants'),
    (flag(defaultVariant=None), 'flag "odd" has a defaultVariant that is none of its variants'),
    (flag(targeting={"if": []}), 'flag "odd" has targeting, which this provider does not evaluate'),
    ('{"flags": {"": ' + flag()[len('{"flags": {"good": '):], "a flag's key is empty"),
])
def test_a_file_that_cannot_be_used_is_refused_with_the_name_of_the_flag(
        workshop: Workshop, tmp_path: Path, content: str, reason: str) -> None:
    path = tmp_path / "f.json"
    path.write_text(content)
    program = workshop.compile(HERE / "provider_watch.c", "provider_watch")
    done = workshop.run(program, workshop.plugin, path, "state")
    assert (done.returncode, done.stdout) == (0, "state 3\n")
    assert done.stderr == f"WARNING hoist[flag-file]: the flags of {path} are not used: {reason}\n"


def test_a_file_is_watched_and_the_last_good_flags_go_on(workshop: Workshop, tmp_path: Path) -> None:
    """G3."""
    path = tmp_path / "f.json"

    def write(text: str) -> None:
        temporary = path.with_suffix(".new")
        temporary.write_text(text)
        temporary.replace(path)

    write(flag())
    program = workshop.compile(HERE / "provider_watch.c", "provider_watch")
    environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
    with subprocess.Popen([program, workshop.plugin, path, "watch"], env=environment, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as watching:
        assert watching.stdin and watching.stdout
        assert watching.stdout.readline() == "odd is on, state 1\n"
        write(flag(variants={"on": False}))
        assert watching.stdout.readline() == "changed: odd\n"
        write(flag(state="MAYBE"))
        assert watching.stdout.readline().startswith("state 2: the flags of ")
        watching.stdin.write("\n")
        watching.stdin.flush()
        assert watching.stdout.readline() == "odd is off, state 2\n"
        path.unlink()
        write(flag())
        assert watching.stdout.readline() == "changed: odd\n"
        watching.stdin.close()
        assert watching.wait(30) == 0


@pytest.mark.parametrize("count", [1, 40])
def test_events_of_a_killed_process_are_delivered_by_the_next_one_once(workshop: Workshop, tmp_path: Path, count: int) -> None:
    """G10, and the promise of `events.durability`."""
    program = workshop.compile(HERE / "provider_events.c", "provider_events")
    killed = workshop.run(program, tmp_path, "record", count)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    lines: list[str] = []
    deadline = time.monotonic() + 60
    while len(lines) < count and time.monotonic() < deadline:
        done = workshop.run(program, tmp_path, "deliver")
        assert done.returncode == 0, done.stderr
        lines += done.stdout.splitlines()
    assert sorted(line.split()[1] for line in lines) == sorted(f"event-{number}" for number in range(count))
    assert len({line.split()[0] for line in lines}) == count
    again = workshop.run(program, tmp_path, "deliver")
    assert (again.returncode, again.stdout) == (0, "")
