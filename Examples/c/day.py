"""What the drivers of the programs share: a run of a program, and one that is killed."""
import os
import pathlib
import subprocess
import sys


def program(name: str) -> str:
    return str(pathlib.Path(os.environ["HOIST_EXAMPLES"]) / name)


def run(command: list[str], title: str) -> list[str]:
    """The lines that it has written; ends everything where it fails."""
    print(f"{title}:", flush=True)
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    print(done.stdout, end="")
    print(done.stderr, end="", file=sys.stderr)
    if done.returncode != 0:
        sys.exit(f"{title}: exit status {done.returncode}")
    return done.stdout.splitlines()


def run_until_killed(command: list[str], last: str, title: str) -> None:
    """It is killed once it has written the line `last`."""
    print(f"{title}:", flush=True)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line if line.startswith(" ") else f"  {line}", end="")
            if line == f"{last}\n":
                break
        process.kill()
        process.wait()
    print("  killed")
