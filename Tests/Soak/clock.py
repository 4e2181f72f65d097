"""Whether the fast clock is one: each wait takes its part of the true time, and no library that a host has knows another way."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

MINUTE_S = 60.0
# What imports may be called that take or tell a time.
TIMED = re.compile(r"wait|poll|time|clock|sleep|sem_|select|alarm|futex|syscall")
# Of those: no time of the clock's is in it.
TIMELESS = {"localtime_r", "gmtime_r", "mktime", "strftime", "__strftime_l", "__wcsftime_l", "pthread_cond_wait",
            "pthread_condattr_setclock", "waitpid", "utime", "utimensat", "syscall"}
"""`syscall` is libstdc++'s, for atomics that wait, which have no limit here, and libhoist's for barriers and locks without one."""
FOREIGN = re.compile(r"SSL_|libssh2_|hoist_|sqlite3_|curl_|XML_")


def _names(library: str | Path, which: str) -> set[str]:
    listed = subprocess.run(["nm", "-D", which, library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].partition("@")[0] for line in listed.splitlines()}


def libraries_of(program: Path) -> list[str]:
    """Those that wait or read the clock themselves. libcurl is opened by name."""
    linked = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    found = [path for path in re.findall(r"=> (\S+)", linked) if re.search(r"/lib(hoist|sqlite3|stdc\+\+)\.so", path)]
    known = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    found += re.findall(r"libcurl\.so\.4 .*=> (\S+)", known)[:1]
    return [str(program), *found]


def unknown(program: Path, clock: Path) -> Iterator[str]:
    """What takes a time and is not wrapped."""
    wrapped = _names(clock, "--defined-only")
    libraries = libraries_of(program)
    if len(libraries) < 5:
        yield f"libraries are missing: {libraries}"
    for library in libraries:
        for name in sorted(_names(library, "--undefined-only")):
            if TIMED.search(name) and not FOREIGN.match(name) and name not in wrapped | TIMELESS:
                yield f"{library} imports {name}: wrap it in fast_clock.c, or say in clock.py that it takes no time"


def wrong_waits(program: Path, clock: Path, speed: int) -> Iterator[str]:
    """`program` is clock_host.c: a minute in each way."""
    environment = {**os.environ, "LD_PRELOAD": str(clock), "HOIST_SOAK_SPEED": str(speed)}
    environment.pop("HOIST_SOAK_START", None)
    begun = time.monotonic()
    told = subprocess.run([program], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout
    passed = (time.monotonic() - begun) * speed
    ways = told.splitlines()
    if not ways:
        yield "no way to wait"
    for line in ways:
        way, _, clocks = line.partition(": ")
        # The last is in whole seconds; how much longer a busy machine lets it wait is its own affair.
        short = [took for took in clocks.split() if float(took) < MINUTE_S - 1]
        if short:
            yield f"{way}: a minute was {short} seconds"
        elif max(map(float, clocks.split())) > passed:
            yield f"{way}: {clocks} seconds, of {passed:.0f} in all"
