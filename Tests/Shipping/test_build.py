"""What the build promises of its results."""

from __future__ import annotations

import subprocess

import pytest
from conftest import LIBRARY, ROOT


def check_glibc(newest: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["cmake", "-D", "readelf=readelf", "-D", f"newest={newest}", "-D", f"file={LIBRARY}",
                           "-P", ROOT / "cmake/check_glibc.cmake"], capture_output=True, text=True, check=False)


def test_a_file_that_needs_a_later_glibc_than_promised_is_refused() -> None:
    refused = check_glibc("2.17")
    assert refused.returncode and "needs GLIBC_" in refused.stderr and "HOIST_MINIMUM_GLIBC" in refused.stderr


@pytest.mark.parametrize("newest", ["2.99"])
def test_one_that_does_not_is_taken(newest: str) -> None:
    assert check_glibc(newest).returncode == 0
