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
TALKATIVE = """
#include <hoist/hoist.h>

int main(void) {
  hoist_config *config = hoist_config_new("unleash");
  hoist_client *client = NULL;
  hoist_config_set(config, "mode", "backend", NULL);
  hoist_config_set(config, "online", "false", NULL);
  hoist_config_set(config, "store", "none", NULL);
  hoist_config_set(config, "log.level", "info", NULL);
  if (hoist_client_open(config, &client, NULL) != HOIST_OK) return 1;
  hoist_client_close(client, 10000);
  hoist_client_free(client);
  hoist_config_free(config);
  return 0;
}
"""
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


def compiled(folder: Path, source: str) -> Path:
    library = os.environ.get("HOIST_LIBRARY")
    if not library:
        pytest.skip("HOIST_LIBRARY does not name the library")
    program, over = folder / "program", Path(library).resolve()
    (folder / "program.c").write_text(source)
    subprocess.run([os.environ.get("CC", "cc"), "-I", Path(__file__).resolve().parents[2] / "Include", "-o", program,
                    folder / "program.c", over, f"-Wl,-rpath,{over.parent}"], check=True)
    return program


@pytest.mark.parametrize("is_journal", [True, False])
def test_lines_to_the_journal_begin_with_their_priority(tmp_path: Path, is_journal: bool) -> None:
    """JOURNAL_STREAM names stderr's device and inode, or those of a stream that was replaced."""
    program = compiled(tmp_path, TALKATIVE)
    reading, writing = os.pipe()
    status = os.fstat(writing)
    stream = f"{status.st_dev}:{status.st_ino if is_journal else status.st_ino + 1}"
    with open(reading) as told:
        ended = subprocess.run([program], env={"JOURNAL_STREAM": stream, "SWIFT_BACKTRACE": "enable=no"}, stderr=writing, timeout=60)
        os.close(writing)
        lines = told.read().splitlines()
    assert ended.returncode == 0
    places = {"INFO": "<6>", "WARNING": "<4>"} if is_journal else {"INFO": "", "WARNING": ""}
    words = [line.split()[0] for line in lines]
    assert set(words) == {place + name for name, place in places.items()}, lines


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a program of root's for all")
def test_a_caller_with_fewer_rights_does_not_steer_a_program(folder: Path) -> None:
    """Where the store stands, and whom requests go through, is not for the environment of such a program to say."""
    program, cache = compiled(folder, PROGRAM), folder / "cache"
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
