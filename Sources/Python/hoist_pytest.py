"""What pytest finds: the fixture `hoist_flags`. Nothing of Hoist is loaded before a test asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from hoist.testing import Flags


@pytest.fixture
def hoist_flags() -> Iterator[Flags]:
    """Flags that the test sets, served by clients that it opens: see `hoist.testing`."""
    from hoist.testing import Flags

    with Flags() as flags:
        yield flags
