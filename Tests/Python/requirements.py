"""Ends with status 1 when a package of a requirements file is missing: `requirements.py FILE`."""

import re
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
    found = re.match(r"([\w-]+)(?:>=([\d.]+))?$", line.strip())
    if not found:
        continue
    name, least = found.groups()
    try:
        present = version(name)
    except PackageNotFoundError:
        sys.exit(1)
    numbers = [int(part) for part in re.findall(r"\d+", present)]
    if least and numbers < [int(part) for part in least.split(".")]:
        sys.exit(1)
