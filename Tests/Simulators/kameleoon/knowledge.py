"""What a check may consult besides the request itself."""

from __future__ import annotations

from dataclasses import dataclass

from .ledger import Ledger
from .options import Options
from .site import Site


@dataclass(frozen=True)
class Knowledge:
    site: Site | None
    """None for a code that is no site's: such a request is answered with an error, but is no violation."""
    ledger: Ledger
    options: Options
