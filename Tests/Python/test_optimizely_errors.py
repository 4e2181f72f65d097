"""What an Optimizely host is told when something is wrong: log lines, statuses, messages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from optimizely import sample_datafile
from waiting import until

import hoist
from hoist import LogLevel, Status, optimizely
from hoist._native import NULL, ffi, lib
from hoist._text import decode

OFFLINE = {"sdk_key": "k", "online": False, "autostart": False, "store": "none"}


class Lines(hoist.Logger):
    def __init__(self) -> None:
        self.lines: list[tuple[LogLevel, str]] = []

    def write(self, level: LogLevel, message: str) -> None:
        self.lines.append((level, message))


def opened(lines: hoist.Logger | None = None, **properties: Any) -> optimizely.Client:
    return optimizely.Client({**OFFLINE, **properties}, logger=lines)


# The vendor's words; "verbose" is no more than "debug" here.
@pytest.mark.parametrize(
    ("level", "told"),
    [("none", set()), ("error", set()), ("warning", {"warning"}), ("info", {"warning", "info"}),
     ("debug", {"warning", "info", "debug"})],
)  # fmt: skip
def test_a_logger_is_told_level_and_message(level: str, told: set[str]) -> None:
    """(OPT-03, OPT-48; starting)"""
    lines = Lines()
    with opened(lines, **{"log.level": level}) as client:
        with pytest.raises(hoist.Error):
            client.start_with_datafile("{}")
        client.start_with_datafile(json.dumps(sample_datafile()))
        wanted = {"warning": "the given document is left aside", "info": "is served", "debug": ""}
        assert until(lambda: all(any(wanted[name] in text for _, text in lines.lines) for name in told))
    assert {of.name.lower() for of, _ in lines.lines} == told


def test_an_empty_datafile_is_no_datafile() -> None:
    """(OPT-49; ready)"""
    with opened() as client:
        client.start_with_datafile(json.dumps(sample_datafile()))
        client.start_with_datafile()
        with pytest.raises(hoist.Error) as failure:
            client.start_with_datafile(b"")
        assert failure.value.status is Status.OPTIMIZELY_DATAFILE_INVALID
        assert client.revision == sample_datafile()["revision"]


def test_without_a_level_warnings_are_told() -> None:
    """The property log.level; quieter than the vendor's "info" unless it is set (OPT-08, G6; starting)."""
    lines = Lines()
    with opened(lines) as client:
        with pytest.raises(hoist.Error):
            client.start_with_datafile("{}")
        assert until(lambda: lines.lines)
        client.start_with_datafile(json.dumps(sample_datafile()))
    assert {level for level, _ in lines.lines} == {LogLevel.WARNING}


def test_a_failed_start_gives_a_status_and_an_error_object() -> None:
    """The shape of startWithDatafile:error: in C (OPT-51; starting)."""
    with opened() as client:
        error = ffi.new("hoist_error **")
        status = lib.hoist_optimizely_start_with_datafile(client._pointer, b"{}", 2, 0, error)
        assert status == Status.OPTIMIZELY_DATAFILE_INVALID and error[0] != NULL
        assert lib.hoist_error_status(error[0]) == status
        assert "the given document is left aside" in decode(lib.hoist_error_message(error[0]))
        lib.hoist_error_free(error[0])
        # Who does not want the object leaves it out.
        assert lib.hoist_optimizely_start_with_datafile(client._pointer, b"{}", 2, 0, NULL) == status
        good = json.dumps(sample_datafile()).encode()
        error[0] = NULL
        assert lib.hoist_optimizely_start_with_datafile(client._pointer, good, len(good), 0, error) == Status.OK
        assert error[0] == NULL


def test_every_error_has_a_number_and_a_name_of_its_own() -> None:
    """(OPT-78; no client)"""
    own = [status for status in Status if status.name.startswith("OPTIMIZELY_")]
    assert len(own) >= 21
    for status in own:
        assert 1100 <= status < 1200
        assert decode(lib.hoist_status_name(status)) == f"HOIST_ERR_{status.name}"
