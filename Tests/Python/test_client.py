"""What a client says of itself, and how the whole process finds it."""

from __future__ import annotations

import gc
import math
from typing import Any

import pytest
from waiting import until

import hoist
from hoist import launchdarkly
from hoist._native import NULL, ffi, lib


def client(**more: object) -> hoist.Client:
    return hoist.Client("unleash", mode="backend", online=False, store="none", **{"log_level": "none", **more})


def test_a_client_says_its_service_and_its_context() -> None:
    with client() as own:
        assert own.provider == "unleash"
        own.identify(hoist.Context("user-1", plan="pro"), 5)
        current = own.current_context
        assert current is not None
        assert (current.targeting_key, current.to_dict()) == ("user-1", {"targetingKey": "user-1", "plan": "pro"})


def test_the_log_level_can_be_changed() -> None:
    with client() as own:
        assert own.log_level is hoist.LogLevel.NONE
        own.log_level = hoist.LogLevel.INFO
        assert own.log_level is hoist.LogLevel.INFO
        with pytest.raises(hoist.Error):
            own.log_level = 7  # type: ignore[assignment]


def test_services_are_listed() -> None:
    assert hoist.providers() == ["unleash", "optimizely", "launchdarkly", "flagship", "kameleoon"]


def test_a_property_is_unset() -> None:
    config = hoist.Config("unleash", url="https://flags.example/")
    config.unset("url")
    assert config.get("url") == ""
    with pytest.raises(hoist.Error, match="urll"):
        config.unset("urll")


def test_a_shared_client_is_found_by_its_name_until_that_is_taken_back() -> None:
    assert hoist.shared("flags") is None
    own = client()
    own.share("flags")
    assert hoist.shared("flags") is own
    address = id(own)
    del own  # nobody has to hold it
    gc.collect()
    found = hoist.shared("flags")
    assert found is not None and id(found) == address
    found.close(0)
    assert hoist.shared("flags") is None
    assert hoist.unshare("flags")
    assert not hoist.unshare("flags")
    for name in ("", "kameleoon/site/production"):
        with pytest.raises(hoist.Error):
            found.share(name)


def test_launchdarkly_gets_an_environment_of_the_shared_client() -> None:
    """(LD-07, LD-08, LD-19; before start, ready, closed)"""
    assert launchdarkly.get() is None
    own = launchdarkly.Client(
        mobile_key="mob-1", secondary_mobile_keys={"test": "mob-2"}, online=False, store="none", log_level="none")
    own.share("launchdarkly")
    primary, second = launchdarkly.get(), launchdarkly.get("test")
    assert primary is not None and primary._pointer == own._pointer
    assert second is not None and second._pointer != own._pointer
    assert launchdarkly.get("nope") is None
    own.close(0)
    assert launchdarkly.get() is None
    hoist.unshare("launchdarkly")


def test_a_property_of_an_event_that_json_cannot_say_is_refused() -> None:
    with client() as own:
        assert own.track("e", properties={"a": [1, {"b": None}], "c": True}).name in {"OK", "UNSUPPORTED"}
        assert own.track("e", properties={"a": [float("nan")]}) is hoist.Status.ARGUMENT


class Lines(hoist.Logger):
    def __init__(self) -> None:
        self.found: list[str] = []

    def write(self, level: hoist.LogLevel, message: str) -> None:
        self.found.append(message)

    def name(self, says: str) -> bool:
        """Whether one line comes that says so, and no other."""
        return until(lambda: self.found) and len(self.found) == 1 and says in self.found[0]


def logging_client(**more: object) -> tuple[hoist.Client, Lines]:
    lines = Lines()
    return client(log_level="error", logger=lines, **more), lines


CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)


@pytest.mark.parametrize(("key", "more", "says"), [
    ("", {}, "is refused: its key is NULL, empty or not UTF-8"),
    ("b\0y", {}, "its key is NULL, empty or not UTF-8"),
    ("buy", {"value": math.nan}, 'event "buy" is refused: its value is no finite number'),
    ("buy", {"value": 2**53 + 1}, 'event "buy" is refused: its value'),
    ("buy", {"value": 10**400}, 'event "buy" is refused: its value'),
    ("buy", {"properties": {"": 1}}, "the name of its property 0 is NULL, empty or not UTF-8"),
    ("buy", {"properties": {"a": 1, "plan": "p\0ro"}}, 'its property "plan" is NULL or not UTF-8'),
    ("buy", {"properties": {"plan": math.inf}}, 'its property "plan" is no finite number'),
    ("buy", {"properties": {"plan": [math.nan]}}, 'its property "plan" is no JSON: byte '),
    ("buy", {"properties": {"plan": CIRCLE}}, 'its property "plan" is no JSON: byte '),
    ("buy", {"properties": {"plan": 2**63 + 1}}, 'its property "plan" is a whole number beyond 64 bits'),
    ("buy", {"properties": {"plan": -(10**5000)}}, 'its property "plan" is a whole number beyond 64 bits'),
    ("buy", {"properties": dict.fromkeys(map(str, range(65)), 1)}, "it has 65 properties, and may have 64"),
])  # fmt: skip
def test_what_no_event_can_have_is_refused_by_its_name(key: str, more: dict[str, Any], says: str) -> None:
    """Contract 6. State: offline."""
    own, lines = logging_client()
    with own:
        assert own.track(key, **more) in {hoist.Status.ARGUMENT, hoist.Status.LIMIT}
        assert lines.name(says), lines.found


@pytest.mark.parametrize(("change", "says"), [
    ({"type": 9}, 'its property "plan" is of an unknown type, 9'),
    ({"text": NULL}, 'its property "plan" is NULL or not UTF-8'),
    ({"name": NULL}, "the name of its property 0 is NULL"),
    ({"type": 3}, 'its property "plan" is no JSON'),
    ({"struct_size": 1}, "the struct_size of its property 0 cannot be"),
])  # fmt: skip
def test_an_event_of_c_is_refused_by_what_is_wrong(change: dict[str, Any], says: str) -> None:
    """Contract 6. State: offline."""
    name, text = ffi.new("char[]", b"plan"), ffi.new("char[]", b"pro")
    row = {"struct_size": ffi.sizeof("hoist_event_property"), "name": name, "text": text, **change}
    rows = ffi.new("hoist_event_property *", row)
    event = ffi.new("hoist_event *", {"struct_size": ffi.sizeof("hoist_event"), "properties": rows, "property_count": 1})
    own, lines = logging_client()
    with own:
        assert lib.hoist_client_track(own._pointer, b"buy", NULL, event) == hoist.Status.ARGUMENT
        assert lines.name(says), lines.found


def test_a_number_beyond_a_double_is_a_fallback_as_any_other() -> None:
    """Contract 1: reads never fail. State: offline."""
    huge = 10**400
    with client() as own, own.view() as view:
        assert own.float("nonsense", fallback=huge) == view.float("nonsense", huge) == huge
        assert own.float("nonsense", fallback=2**53 + 1) == view.float("nonsense", 2**53 + 1) == 2**53 + 1
        assert own.float("nonsense", fallback=-0.5) == view.float("nonsense", -0.5) == -0.5


@pytest.mark.parametrize("mode", ["frontend", "backend"])
def test_a_context_given_as_a_property_keeps_its_key(mode: str) -> None:
    """The current context, as it was given and completed (UNL-14; offline)."""
    context = '{"targetingKey": "user-1", "plan": "pro"}'
    with hoist.Client("unleash", mode=mode, online=False, store="none", log_level="none", context=context, app_name="shop") as own:
        current = own.current_context
        assert current is not None and current.targeting_key == "user-1" and current.to_dict()["plan"] == "pro"
        assert "userId" not in current.to_dict()


def test_launchdarkly_has_its_context_from_the_beginning() -> None:
    """As it was given, until it is completed (LD-02; before start)."""
    properties = {"mobile_key": "mob-1", "online": False, "store": "none", "log_level": "none", "autostart": False}
    with launchdarkly.Client(context={"kind": "org", "key": "o"}, **properties) as own:
        current = own.current_context
        assert current is not None and current.to_dict() == {"targetingKey": "o", "kind": "org"}
    with launchdarkly.Client(**properties) as own:
        assert own.current_context is not None


def test_a_negative_time_limit_is_none() -> None:
    """Contract 5: negative waits without limit, zero asks. State: offline."""
    from hoist import _awaited
    from hoist._text import milliseconds

    assert [milliseconds(seconds) for seconds in (None, -1, -1e-9, -math.inf)] == [-1] * 4
    assert [milliseconds(seconds) for seconds in (0, -0.0, 1e-9, 1.5, math.inf)] == [0, 0, 1, 1500, 2**62]
    assert _awaited._deadline(-1) is None
    with client() as own:
        assert own.flush(-1) is own.flush(None) is own.identify({"targetingKey": "u"}, None) is own.close(None) is hoist.Status.OK


STEERING = "\x1b\x07\x7f\x85\x9b\u061c\u200e\u202e\u2028\u2066"


def test_no_log_line_and_no_error_steers_a_terminal() -> None:
    """What a line quotes may be anybody's: no controls, no C1, no overrides of direction. State: offline."""
    own, lines = logging_client()
    with own:
        own.track(f"b{STEERING}y", value=math.nan)
        assert lines.name("is refused: its value")
        assert not set(STEERING) & set(lines.found[0])
    with pytest.raises(hoist.Error) as refused:
        hoist.Config("unleash").unset(f"x{STEERING}")
    assert not set(STEERING) & set(str(refused.value))
