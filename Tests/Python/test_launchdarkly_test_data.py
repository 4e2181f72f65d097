"""LaunchDarkly in mode server, by flags that a test sets (LDS-67)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from test_fork import finish, fork
from waiting import until

import hoist
from hoist import State, Status, launchdarkly
from hoist.launchdarkly import Context, FlagBuilder, TestData

ANNA = Context("anna", attributes={"plan": "pro"})


def open_client(data: TestData) -> launchdarkly.Client:
    client = launchdarkly.Client(store="none", test_data=data, context=ANNA)
    assert client.wait_ready(5) is Status.OK
    return client


def test_what_is_set_is_served_at_once_and_told_of() -> None:
    """(LDS-62, LDS-67; ready, second client)"""
    data = TestData()
    data.update(data.flag("banner").variation_for_all(False))
    with open_client(data) as client, open_client(data) as other:
        assert client.state is State.READY
        told: list[str] = []
        client.observe(hoist.Topic.FLAG_CHANGED, lambda news: told.extend(news.keys))
        assert client.bool("banner", None, True) is False
        data.update(data.flag("banner").variation_for_user("anna", True))
        assert client.bool("banner", None, False) is True and other.bool("banner", None, False) is True
        assert client.bool("banner", {"targetingKey": "bob"}, True) is False
        assert until(lambda: told == ["banner"])


def test_a_child_has_flags_of_its_own() -> None:
    """What it sets it serves at once, whether it has called its client before or not; its parent goes on (LDS-08, LDS-67; forked)."""
    data = TestData()
    data.update(data.flag("banner").variation_for_all(False))
    with open_client(data) as client:

        def work() -> None:
            data.update(data.flag("banner").variation_for_all(True))
            assert client.bool("banner", None, False) is True

        def work_later() -> None:
            assert client.bool("banner", None, True) is False
            work()

        assert finish([fork(work), fork(work_later)]) == [0, 0]
        assert client.bool("banner", None, True) is False


RULES: list[tuple[Callable[[FlagBuilder], FlagBuilder], object]] = [
    (lambda flag: flag.variation_for_all(True), True),
    (lambda flag: flag.variation_for_all(True).on(False), False),
    (lambda flag: flag.value_for_all({"a": 1}), {"a": 1}),
    (lambda flag: flag.variations("x", "y").fallthrough_variation(1), "y"),
    (lambda flag: flag.variations("x", "y").off_variation(0).on(False), "x"),
    (lambda flag: flag.variation_for_all(False).if_match("plan", "free", "pro").then_return(True), True),
    (lambda flag: flag.variation_for_all(False).if_match("plan", "pro").and_match("key", "bob").then_return(True), False),
    (lambda flag: flag.variation_for_all(False).if_not_match("plan", "free").then_return(True), True),
    (lambda flag: flag.variation_for_all(False).if_match("plan", "pro").and_not_match("key", "bob").then_return(True), True),
    (lambda flag: flag.variation_for_all(False).if_match_context("org", "key", "o").then_return(True), False),
    (lambda flag: flag.variation_for_all(True).variation_for_key("org", "anna", False), True),
    (lambda flag: flag.variation_for_user("anna", True).variation_for_user("anna", False), False),
    (lambda flag: flag.variation_for_user("anna", False).clear_targets(), True),
    (lambda flag: flag.if_match("plan", "pro").then_return(False).clear_rules(), True),
]


@pytest.mark.parametrize(("build", "value"), RULES)
def test_flags_are_built_in_the_vendors_words(build: Callable[[FlagBuilder], FlagBuilder], value: object) -> None:
    """(LDS-67; ready)"""
    data = TestData()
    data.update(build(data.flag("f")))
    with open_client(data) as client:
        assert client.json("f", None, None) == value


def test_a_context_of_two_kinds_meets_rules_about_either() -> None:
    """(LDS-21, LDS-67; ready)"""
    data = TestData()
    flag = data.flag("f").variation_for_all(False).if_match_context("org", "plan", "gold").and_not_match_context("org", "key", "x")
    data.update(flag.then_return(True).variation_for_key("org", "y", False))
    both = Context.multi(Context("anna"), Context("o", kind="org", attributes={"plan": "gold"}))
    with launchdarkly.Client(store="none", test_data=data, context=both) as client:
        assert client.wait_ready(5) is Status.OK
        assert client.bool("f", None, False) is True


def test_what_is_no_flag_is_refused() -> None:
    """(LDS-67; ready)"""
    data = TestData()
    data.set_segment({"key": "s", "included": ["anna"]})
    clause = {"attribute": "", "op": "segmentMatch", "values": ["s"]}
    data.set_flag({"key": "f", "on": True, "variations": [1, 2], "fallthrough": {"variation": 0},
                   "rules": [{"variation": 1, "clauses": [clause]}]})  # fmt: skip
    with open_client(data) as client:
        for text in ("{", "[]", '{"key": "f", "rules": 7}'):
            with pytest.raises(hoist.Error) as problem:
                data.set_flag(text)
            assert problem.value.status is Status.PARSE
        assert client.int("f", None, 0) == 2


def test_several_files_are_merged_and_followed(tmp_path: Path) -> None:
    """(LDS-67; offline)"""
    paths = [tmp_path / "a.json", tmp_path / "b.json"]
    for path, text in zip(paths, ('{"flagValues": {"a": 1}}', '{"flagValues": {"b": 2}}')):
        path.write_text(text)
        path.chmod(0o600)
    files = {"mode": "server", "bootstrap.file": [str(path) for path in paths], "store": "none", "context": {"kind": "user", "key": "u"}}
    with hoist.Client("launchdarkly", files) as client:
        assert client.wait_ready(5) is Status.OK
        assert (client.int("a", None, 0), client.int("b", None, 0)) == (1, 2)
        (tmp_path / "new").write_text('{"flagValues": {"a": 345}}')
        (tmp_path / "new").replace(paths[0])
        assert until(lambda: client.int("a", None, 0) == 345)
    paths[1].write_text('{"flagValues": {"a": 2}}')
    with pytest.raises(hoist.Error) as problem:
        hoist.Client("launchdarkly", files)
    assert 'flag "a" is in both' in str(problem.value) and str(paths[0]) in str(problem.value)
