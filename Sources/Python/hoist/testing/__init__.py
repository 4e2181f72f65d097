"""Clients whose flags a test sets, without a network.

    from hoist.testing import Flags

    with Flags({"new-checkout": True, "banner": "green"}) as flags:
        client = flags.client()  # or "unleash", "optimizely", …: that service's own client
        assert shop(client).checkout == "new"
        with flags.override({"new-checkout": False}):
            assert shop(client).checkout == "old"
        assert flags.was_evaluated("new-checkout")
        assert [event.key for event in flags.tracked] == ["purchase"]

A program that opens its clients by itself gets such ones inside `with flags.everywhere():`. With pytest, ask for the
fixture `hoist_flags`.
"""

from .flags import ABSENT, Flags
from .records import Evaluated, Tracked

__all__ = ["ABSENT", "Evaluated", "Flags", "Tracked"]
