"""What the environment may say, and to whom."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

NOBODY = 65534
PROGRAM = """
#include <hoist/hoist.h>
#include <stdio.h>
#include <sys/auxv.h>

int main(void) {
  hoist_error *error = NULL;
  if (hoist_config_check_store(hoist_config_new("unleash"), &error) != HOIST_OK) puts(hoist_error_message(error));
  return getauxval(AT_SECURE) ? 1 : 0;
}
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """Where another user may look in, as not in pytest's own."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a program of root's for all")
def test_a_caller_with_fewer_rights_does_not_steer_a_program(folder: Path) -> None:
    """Where the store stands, and whom requests go through, is not for the environment of such a program to say."""
    library = os.environ.get("HOIST_LIBRARY")
    if not library:
        pytest.skip("HOIST_LIBRARY does not name the library")
    program, over, cache = folder / "program", Path(library).resolve(), folder / "cache"
    (folder / "program.c").write_text(PROGRAM)
    subprocess.run([os.environ.get("CC", "cc"), "-I", Path(__file__).resolve().parents[2] / "Include", "-o", program,
                    folder / "program.c", over, f"-Wl,-rpath,{over.parent}"], check=True)
    environment = {"XDG_CACHE_HOME": str(cache), "HOME": str(folder), "SWIFT_BACKTRACE": "enable=no"}
    own = subprocess.run([program], env=environment, capture_output=True, text=True, timeout=60)
    assert (own.returncode, own.stdout) == (0, "") and (cache / "hoist").is_dir()
    shutil.rmtree(cache)
    program.chmod(0o4755)
    foreign = subprocess.run([program], env=environment, user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True, text=True,
                             timeout=60)
    if foreign.returncode == 0:
        pytest.skip("this file system heeds no set-user-ID bit")
    assert "neither XDG_CACHE_HOME nor HOME is set" in foreign.stdout and not cache.exists()
