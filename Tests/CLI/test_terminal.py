"""What people see: colour, width, progress."""

from __future__ import annotations

import re

from tool import FEATURES, Tool
from unleash import UnleashSimulator

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def test_colour_is_for_terminals_that_want_it(hoist: Tool) -> None:
    command = ("flags", "--features", FEATURES)
    assert ESCAPE.search(hoist.on_terminal(*command))
    assert "\x1b" not in hoist.on_terminal(*command, NO_COLOR="1")
    assert "\x1b" not in hoist.on_terminal(*command, TERM="dumb")
    assert "\x1b" not in hoist(*command).out


def test_colour_does_not_disturb_the_columns(hoist: Tool) -> None:
    command = ("flags", "--features", FEATURES, "--user", "u7")
    assert ESCAPE.sub("", hoist.on_terminal(*command, columns=200)) == hoist(*command).out


def test_a_table_fits_the_terminal(hoist: Tool) -> None:
    for columns in (80, 120):
        shown = ESCAPE.sub("", hoist.on_terminal("config", "unleash", columns=columns))
        assert 60 < max(map(len, shown.splitlines())) <= columns
        assert re.search(r"^online  .*true .*Whether", shown, re.M)


def test_json_has_no_colour(hoist: Tool) -> None:
    assert "\x1b" not in hoist.on_terminal("flags", "--features", FEATURES, "--json")


def test_what_takes_long_shows_progress_on_a_terminal_only(hoist: Tool, service: UnleashSimulator) -> None:
    service.fail("frontend", "hang", times=None)
    command = ("flags", "--url", service.frontend_url, "--timeout")
    shown = hoist.on_terminal(*command, 600, key=service.frontend_key, until=" s")
    assert f"waiting for {service.frontend_url} … " in shown
    assert "waiting" not in hoist(*command, 1.5, key=service.frontend_key).err
