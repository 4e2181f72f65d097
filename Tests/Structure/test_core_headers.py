"""The public headers as one family: what each of them has to have, read off the headers themselves."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "Include"
sys.path.insert(0, str(ROOT / "Tests" / "Headers"))
from declarations import read_headers  # noqa: E402

CORE = [path for path in sorted((INCLUDE / "hoist").glob("*.h")) if f'"{path.name}"' in (INCLUDE / "hoist/hoist.h").read_text()]
INTERFACE = read_headers()

# Filled in by the library alone.
TOLD = {"hoist_http_answer", "hoist_dispatch_batch", "hoist_forward_result", "hoist_hook_call", "hoist_provider_batch", "hoist_provider_event",
        "hoist_provider_evaluation"}
# Texts of every type, JSON among them.
NO_JSON = {"hoist_config_set", "hoist_config_get", "hoist_config_load_file"}
DOCUMENTED = re.compile(r"/\*\*((?:(?!\*/).)*)\*/\s*((?:HOIST_API[^;]*;\s*)+)", flags=re.S)


def structs_of(headers: list[Path]) -> list[str]:
    return [name for path in headers for name in re.findall(r"^typedef struct (hoist_\w+) \{", path.read_text(), flags=re.M)]


def test_every_struct_begins_with_its_size() -> None:
    """So that arrays of them can be stepped, and newer ones told from older ones."""
    names = structs_of(CORE)
    assert len(names) > 20
    assert [name for name in names if INTERFACE.structs[name][0].name != "struct_size"] == []


@pytest.mark.parametrize(("compiler", "options"), [("gcc", ["-std=c99"]), ("g++", ["-std=c++11"])])
def test_every_table_of_the_hosts_has_an_initialiser(compiler: str, options: list[str], tmp_path: Path) -> None:
    names = [name for name in structs_of(CORE) if name not in TOLD]
    checks = "".join(
        f"  {{ {name} one = {name.upper()}_INIT; if (one.struct_size != sizeof one) return 1; }}\n" for name in names)
    language = "c++" if compiler == "g++" else "c"
    source = tmp_path / "init.c"
    source.write_text(f"#include <hoist/hoist.h>\nint main(void) {{\n{checks}  return 0;\n}}\n")
    program = tmp_path / "init"
    warnings = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
    command = [compiler, "-x", language, *options, *warnings, f"-I{INCLUDE}", str(source), "-o", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert subprocess.run([str(program)], check=False).returncode == 0


def test_every_call_with_json_has_a_jansson_form() -> None:
    lacking = []
    for path in CORE:
        for comment, declarations in DOCUMENTED.findall(path.read_text()):
            named = set(re.findall(r"\b(hoist_\w+)\(", declarations)) - NO_JSON
            lacking += [name for name in named if "JSON" in comment or "json" in name]
    lacking = [name for name in lacking if jansson_form(name) not in INTERFACE.functions]
    assert lacking == []


def jansson_form(name: str) -> str:
    if name == "hoist_notification_json":
        return "hoist_notification_jansson"
    replaced = re.sub(r"_(from|to|set)_json$", r"_\1_jansson", name)
    return replaced if replaced != name else f"{name}_jansson"


def test_an_events_property_and_a_configurations_have_names_of_their_own() -> None:
    """`property` alone is a configuration's."""
    assert "hoist_event_property" in INTERFACE.structs and "hoist_event_property_type" in INTERFACE.scalars
    assert "hoist_property_type" in INTERFACE.scalars and "hoist_property" not in INTERFACE.structs


def test_every_constant_has_the_type_that_is_declared_with_it() -> None:
    assert set(INTERFACE.constant_types) == set(INTERFACE.constants)
    assert INTERFACE.constant_types["HOIST_ERR_CONFIG"] == "hoist_status"
    assert INTERFACE.constant_types["HOIST_ERR_FLAGSHIP_PANIC"] == "hoist_status"
    assert INTERFACE.constant_types["HOIST_CLIENT_STALE"] == "hoist_client_state"
    assert all(INTERFACE.scalars.get(kind) == "int32_t" for kind in INTERFACE.constant_types.values())
