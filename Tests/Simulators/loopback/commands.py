"""For the simulators' own tests: their commands, as another program starts them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

SIMULATORS = Path(__file__).resolve().parents[1]


def check_command(module: str, *arguments: str) -> dict[str, Any]:
    """It prints its addresses, serves until its input ends, and then has no violations; returns the addresses."""
    process = subprocess.Popen([sys.executable, "-m", module, *arguments], cwd=SIMULATORS, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None
    described = json.loads(process.stdout.readline())
    process.stdin.close()
    assert json.loads(process.stdout.readline()) == {"violations": []}
    process.stdout.close()
    assert process.wait(10) == 0
    return described


def check_refused_command(module: str, *arguments: str) -> None:
    """It says what it does not understand, and ends."""
    done = subprocess.run([sys.executable, "-m", module, *arguments], cwd=SIMULATORS, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=20)
    assert (done.returncode, done.stdout) == (2, "") and done.stderr.startswith(f"{module} simulator: ")
