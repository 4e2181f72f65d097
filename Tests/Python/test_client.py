"""What a client says of itself, and how the whole process finds it."""

from __future__ import annotations

import gc

import pytest

import hoist
from hoist import launchdarkly


def client(**more: object) -> hoist.Client:
    return hoist.Client("unleash", mode="backend", online=False, store="none", log_level="none", **more)


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
    with pytest.raises(hoist.Error):
        found.share("")


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
