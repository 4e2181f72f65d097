"""Finding the headers and the library, and the way in without a compiler."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import hoist
from hoist._native import ffi

SOURCE = Path(__file__).resolve().parents[2] / "Sources" / "Python"
sys.path.append(str(SOURCE))

from building import locate  # noqa: E402
from building.callbacks import callbacks, python_declarations  # noqa: E402
from building.declarations import declarations  # noqa: E402

SETTINGS = ("HOIST_ROOT", "HOIST_LIBRARY", "HOIST_INCLUDE", "Hoist_DIR", "Hoist_ROOT", "CMAKE_PREFIX_PATH")


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """No setting, no pkg-config, no checkout around the build scripts, no installation."""
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PKG_CONFIG", "no-such-tool")
    monkeypatch.setattr(locate, "__file__", str(tmp_path / "away" / "locate.py"))
    monkeypatch.setattr(locate, "_SYSTEM_PREFIXES", (str(tmp_path / "system"),))
    return monkeypatch


def install_tree(root: Path, include: str = "include", library: str = "lib/libhoist.so") -> Path:
    (root / include / "hoist").mkdir(parents=True)
    (root / include / "hoist" / "hoist.h").touch()
    (root / library).parent.mkdir(parents=True, exist_ok=True)
    (root / library).touch()
    return root


def test_what_is_missing_is_named(nowhere: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(locate.Missing, match=r"hoist/hoist\.h.*\n(.*\n)*.*HOIST_ROOT"):
        locate.locate()
    nowhere.setenv("HOIST_ROOT", str(tmp_path))
    (tmp_path / "include" / "hoist").mkdir(parents=True)
    (tmp_path / "include" / "hoist" / "hoist.h").touch()
    with pytest.raises(locate.Missing, match=r"libhoist\.so.*\n(.*\n)*.*HOIST_LIBRARY"):
        locate.locate()
    assert locate.locate(library_needed=False).include == tmp_path / "include"
    nowhere.setenv("HOIST_LIBRARY", str(tmp_path / "gone.so"))
    with pytest.raises(locate.Missing, match=r"HOIST_LIBRARY is .*gone\.so"):
        locate.locate()
    nowhere.setenv("HOIST_INCLUDE", str(tmp_path / "gone"))
    with pytest.raises(locate.Missing, match="HOIST_INCLUDE is"):
        locate.locate()


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("HOIST_ROOT", "{root}"),
        ("CMAKE_PREFIX_PATH", "/nowhere;{root}"),
        ("Hoist_DIR", "{root}/lib/cmake/Hoist"),
    ],
)
def test_an_install_tree_is_found(nowhere: pytest.MonkeyPatch, tmp_path: Path, setting: str, value: str) -> None:
    root = install_tree(tmp_path / "prefix")
    nowhere.setenv(setting, value.format(root=root))
    assert locate.locate() == (root / "include", root / "lib" / "libhoist.so")


def test_a_build_folder_in_a_checkout_is_found(nowhere: pytest.MonkeyPatch, tmp_path: Path) -> None:
    checkout = install_tree(tmp_path / "checkout", "Include", "build/lib/libhoist.so")
    nowhere.setenv("HOIST_ROOT", str(checkout / "build"))
    assert locate.locate() == (checkout / "Include", checkout / "build" / "lib" / "libhoist.so")
    nowhere.delenv("HOIST_ROOT")
    nowhere.setenv("HOIST_LIBRARY", str(checkout / "build" / "lib" / "libhoist.so"))
    assert locate.locate() == (checkout / "Include", checkout / "build" / "lib" / "libhoist.so")


def test_pkg_config_is_asked(nowhere: pytest.MonkeyPatch, tmp_path: Path) -> None:
    root = install_tree(tmp_path / "prefix")
    tool = tmp_path / "pkg-config"
    tool.write_text(f"#!/bin/sh\ncase $1 in *includedir) echo {root}/include;; *libdir) echo {root}/lib;; esac\n")
    tool.chmod(0o755)
    nowhere.setenv("PKG_CONFIG", str(tool))
    assert locate.locate() == (root / "include", root / "lib" / "libhoist.so")


def test_a_header_that_grows_needs_nothing_here(tmp_path: Path) -> None:
    """Tables and callbacks are read off the declarations."""
    (tmp_path / "hoist").mkdir()
    (tmp_path / "hoist" / "hoist.h").write_text("""
        #include <stdint.h>
        typedef int32_t hoist_status;
        typedef struct hoist_thing { void *user_data; hoist_status (*take)(void *user_data, const char *text); } hoist_thing;
        typedef void (*hoist_told)(void *user_data, double much);
    """)
    import cffi

    plain = cffi.FFI()
    plain.cdef(declarations(tmp_path))
    text = python_declarations(list(callbacks(plain)))
    assert 'extern "Python" int32_t hoist_python_thing_take(void * a0, char * a1);' in text
    assert 'extern "Python" void hoist_python_told(void * a0, double a1);' in text


PLAIN = """
import sys
sys.path[:0] = {paths!r}
import hoist
from documents import TYPED, LONG_TEXT
from hoist import unleash
assert hoist.binding_mode == "plain", hoist.binding_mode
lines = []
class Log(hoist.Logger):
    def write(self, level, message): lines.append(message)
class Fails(hoist.Hook):
    def before(self, call): raise ValueError(call.key)
client = unleash.Client(mode="backend", online=False, store="none", toggles=TYPED, logger=Log(), log_level="debug",
                        strategies={{"mine": lambda parameters, context: True}})
user = hoist.Context("u", plan="pro", tags=["a"])
told = []
client.observe(hoist.Topic.READY, told.append)
print(client.wait_ready(5), client.bool("pro-only", user), client.int("whole"), client.float("broken"))
print(client.string("text"), client.string("long-text") == LONG_TEXT, client.json("settings"), client.json("none", None, 5))
print(client.detail("none", user, 2**70), client.view(user).string("text"), client.get_variant("text").payload.value)
print(client.is_enabled("none", user, lambda name, context: name == "none" and context.targeting_key == "u"))
hooked = hoist.Client("unleash", mode="backend", online=False, store="none", bootstrap=TYPED, hooks=[Fails()])
print(hooked.bool("switch"), hooked.detail("switch", None, False).error_code)
print(client.close(), hooked.close())
"""


LEFT_OPEN = """
import atexit
atexit.register(lambda: print(bool(hoist._callback._alive), client.bool("switch", fallback=True)))  # the last of all: what hoist registers goes first
import hoist
from documents import TYPED
class Log(hoist.Logger):
    def write(self, level, message): pass
client = hoist.Client("unleash", mode="backend", online=False, store="none", bootstrap=TYPED, logger=Log(), log_level="debug", hooks=[hoist.Hook()])
print(client.bool("switch"))
"""


def test_the_plain_mode_leaves_nothing_to_call() -> None:
    """(closing) Python is about to be taken down: a call into it would end the process by a signal."""
    ended = subprocess.run(
        [sys.executable, "-c", LEFT_OPEN], capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, "HOIST_PYTHON_MODE": "abi", "PYTHONPATH": os.pathsep.join(sys.path),
             "HOIST_LIBRARY": str(os.environ.get("HOIST_LIBRARY") or locate.locate().library)},
    )  # fmt: skip
    assert (ended.returncode, ended.stdout.split()) == (0, ["True", "False", "True"]), ended.stderr


def test_the_plain_mode_says_the_same(offline: hoist.Client) -> None:
    """The same program over cffi's ABI mode."""
    paths = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "Simulators")]
    library = os.environ.get("HOIST_LIBRARY") or locate.locate().library
    ended = subprocess.run(
        [sys.executable, "-c", PLAIN.format(paths=paths)], capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, "HOIST_PYTHON_MODE": "abi", "HOIST_LIBRARY": str(library)},
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    lines = ended.stdout.splitlines()
    assert lines[0] == "OK True 42 2.5"
    assert lines[1].startswith("grün True {'colour'") and lines[1].endswith("} 5")
    assert "FLAG_NOT_FOUND" in lines[2] and lines[2].endswith("grün grün")
    assert lines[3:] == ["True", "False GENERAL", "OK OK"]
    assert hoist.binding_mode == "compiled"
    assert ffi is not None


def test_the_plain_mode_says_what_it_cannot_find() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", "import hoist"], capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, "HOIST_PYTHON_MODE": "abi", "HOIST_LIBRARY": "/nowhere/libhoist.so"},
    )  # fmt: skip
    assert ended.returncode == 1
    assert "/nowhere/libhoist.so" in ended.stderr and "HOIST_LIBRARY" in ended.stderr


def test_the_ctypes_program_of_the_readme_runs(tmp_path: Path) -> None:
    """What the README shows works as it stands, but for the library's name."""
    text = (SOURCE / "README.md").read_text(encoding="utf-8")
    program = "\n".join(line[4:] for line in text.split("## With ctypes")[1].splitlines() if line.startswith("    "))
    library = os.environ.get("HOIST_LIBRARY") or locate.locate().library
    program = program.replace("libhoist.so.0.1", str(library))
    (tmp_path / "features.json").write_text(
        '{"version": 2, "features": [{"name": "new-checkout", "enabled": true, "strategies": []}]}'
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stdout) == (0, "True\n"), ended.stderr
