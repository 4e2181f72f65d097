"""A command that is ended leaves nothing behind that takes the machine from the parts after it."""

import subprocess
import sys
import time
from pathlib import Path

from processes import kill_tree

# A child in a session of its own, as some test tools start theirs.
PROGRAM = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
print(child.pid, flush=True)
time.sleep(60)
"""


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_descendants_of_other_sessions_end_too():
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True) as process:
        grandchild = int(process.stdout.readline())
        assert is_alive(grandchild)
        kill_tree(process.pid)
        assert process.wait(timeout=10) == -9
        deadline = time.monotonic() + 10
        while is_alive(grandchild) and time.monotonic() < deadline:
            pass
        assert not is_alive(grandchild)


def test_commands_hear_interrupts_wherever_the_run_was_started() -> None:
    program = """
import signal, subprocess, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
sys.path.insert(0, sys.argv[1])
import processes
processes.hear_interrupts()
child = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
print(subprocess.run([sys.executable, "-c", child], capture_output=True, text=True).stdout.strip())
"""
    done = subprocess.run([sys.executable, "-c", program, str(Path(__file__).parent)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"
