"""Configurations and what is refused."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path

import pytest
from optimizely import sample_datafile
from waiting import until

import hoist
from hoist import flagship, kameleoon, optimizely, unleash


def test_every_property_is_described() -> None:
    rows = {row.name: row for row in hoist.describe("unleash")}
    assert {"url", "key", "mode", "store.path", "refresh_interval"} <= set(rows)
    assert rows["key"].secret and not rows["url"].secret
    assert rows["refresh_interval"].default == "15"
    assert all(row.meaning for row in rows.values())
    assert hoist.describe("no such service") == ()


def test_values_are_set_in_pythons_types(tmp_path: Path) -> None:
    config = hoist.Config(
        "unleash", {"store.path": tmp_path}, mode="backend", refresh_interval=10, online=False,
        custom_headers={"X-Team": "web"}, tags=["team:web"], context={"userId": "u"},
    )  # fmt: skip
    assert config.get("store.path") == str(tmp_path)
    assert config.get("refresh_interval") == "10"
    assert config.get("online") == "false"
    assert json.loads(config.get("custom_headers") or "") == {"X-Team": "***"}
    assert json.loads(config.get("tags") or "") == ["team:web"]
    assert config.get("metrics_interval") in (None, "")
    assert config.get("no such property") is None


def test_a_dot_may_be_written_as_an_underscore() -> None:
    config = hoist.Config("unleash", store_path="/nowhere", network_timeout_ms=1500, log_level="none")
    assert config.get("store.path") == "/nowhere"
    assert config.get("network.timeout_ms") == "1500"
    config.update({"store.path": "/else"}, events_durability="immediate")
    assert (config.get("store.path"), config.get("events.durability")) == ("/else", "immediate")


def test_whole_floats_are_whole_numbers() -> None:
    assert hoist.Config("unleash", refresh_interval=10.0).get("refresh_interval") == "10"
    with pytest.raises(hoist.Error):
        hoist.Config("unleash", refresh_interval=0.5)


def test_secrets_are_not_shown() -> None:
    """G7"""
    config = hoist.Config("unleash", key="very-secret", network_proxy="http://me:very-secret@proxy:8080",
                          url="https://me:very-secret@h/api", custom_headers={"X-Key": "very-secret"})
    assert config.get("key") == "***"
    assert config.get("network.proxy") == "http://***@proxy:8080" and config.get("url") == "https://***@h/api"
    assert config.get("custom_headers") == '{"X-Key":"***"}'
    assert "very-secret" not in repr(config)


@pytest.mark.parametrize("provider", ["unleash", "optimizely", "launchdarkly", "flagship", "kameleoon"])
def test_no_address_shows_its_password(provider: str) -> None:
    """G7"""
    addresses = [row.name for row in hoist.describe(provider) if row.name.endswith(("url", "url.us", "url.eu", "proxy", "endpoint"))]
    config = hoist.Config(provider, {name: "https://me:very-secret@h/" for name in addresses})
    assert len(addresses) > 1 and {config.get(name) for name in addresses} == {"https://***@h/"}


class Lines(hoist.Logger):
    def __init__(self) -> None:
        self.text = ""

    def write(self, level: hoist.LogLevel, message: str) -> None:
        self.text += message + "\n"


@pytest.mark.parametrize(("provider", "named", "document"), [
    ("unleash", "bootstrap.file", {"version": 2, "features": []}), ("optimizely", "datafile.file", sample_datafile()),
    ("flagship", "bucketing.file", {"campaigns": []}), ("kameleoon", "default_datafile.file", {"configuration": {}, "featureFlags": []}),
])
def test_a_file_that_others_may_change_is_warned_of(tmp_path: Path, provider: str, named: str, document: dict) -> None:
    """Both a configuration and what a client starts with; a file of its own is not. State: starting."""
    given, configuration = tmp_path / "given.json", tmp_path / "configuration.json"
    given.write_text(json.dumps(document))
    required = {"flagship": {"mode": "bucketing", "env_id": "e", "api_key": "k"}, "kameleoon": {"site_code": "s"}}.get(provider, {})
    values = {"store": "none", "online": False, named: str(given), **required}
    if provider == "unleash":
        values |= {"mode": "backend"}
    configuration.write_text(json.dumps(values))
    for mode, is_doubted in ((0o644, False), (0o646, True)):
        given.chmod(mode)
        configuration.chmod(mode)
        config = hoist.Config(provider)
        config.load(configuration)
        lines = Lines()
        with hoist.Client(config, logger=lines, log_level="info") as client:
            client.wait_ready()  # closed sooner, it would leave the file unread
        assert until(lambda: "closed" in lines.text), "the last line of all"
        assert (f'{named}: "{given}" may be changed by everybody' in lines.text) is is_doubted, lines.text
        assert (f'configuration file: "{configuration}" may be changed by everybody' in lines.text) is is_doubted, lines.text


@pytest.mark.parametrize("provider", ["unleash", "optimizely", "launchdarkly", "flagship", "kameleoon"])
def test_secrets_that_are_not_set_read_as_they_are(provider: str) -> None:
    config = hoist.Config(provider)
    secrets = [row.name for row in hoist.describe(provider) if row.secret]
    assert secrets and not [name for name in secrets if config.get(name) == "***"]


def test_a_file_that_a_call_names_is_warned_of_too(tmp_path: Path) -> None:
    """State: before start."""
    path = tmp_path / "given.json"
    path.write_text('{"toggles":[]}')
    path.chmod(0o646)
    said = f'"{path}" may be changed by everybody'
    offline = {"online": False, "store": "none"}
    with unleash.Client(offline, toggles=unleash.Bootstrap.from_file(path), logger=(lines := Lines())):
        assert until(lambda: f"bootstrap: {said}" in lines.text)
    with unleash.Client(offline, autostart=False, logger=(lines := Lines())) as client:
        client.start(unleash.Bootstrap.from_file(path), timeout=0)
        assert until(lambda: f"bootstrap: {said}" in lines.text)
    with optimizely.Client(offline, autostart=False, logger=(lines := Lines())) as optimizing:
        with pytest.raises(hoist.Error):
            optimizing.start_with_file(path)
        assert until(lambda: f"datafile: {said}" in lines.text)
    path.write_text("{}")
    with kameleoon.Client({**offline, "site_code": "s"}, config_file=path, logger=(lines := Lines())):
        assert until(lambda: f"configuration file: {said}" in lines.text)


@pytest.mark.parametrize(
    ("properties", "named"),
    [
        ({"refresh_interval": -1}, "refresh_interval"),
        ({"refresh_intervall": 1}, "refresh_intervall"),
        ({"mode": "both"}, "mode"),
        ({"custom_headers": {"a": "b\r\nc: d"}, "url": "http://127.0.0.1:9/"}, "custom_headers"),
        ({"url": "not a url"}, "url"),
        ({"url": "ftp://host/api"}, "url"),
        ({}, "url"),
    ],
)
def test_a_refused_property_is_named(properties: dict, named: str) -> None:
    """A status instead of the end of the process (UNL-10, G8; before start)."""
    with pytest.raises(hoist.Error) as refused:
        hoist.Client("unleash", properties)
    assert refused.value.status is hoist.Status.CONFIG
    assert f'"{named}"' in str(refused.value)


def test_a_refused_key_is_not_repeated() -> None:
    """G7"""
    with pytest.raises(hoist.Error) as refused:
        hoist.Client("unleash", url="http://127.0.0.1:9/", key="very-secret\r\n")
    assert "very-secret" not in str(refused.value)


def test_an_unknown_provider_is_refused() -> None:
    with pytest.raises(hoist.Error) as refused:
        hoist.Client("unleach", online=False)
    assert "unleach" in str(refused.value) and "unleash" in str(refused.value)


def test_a_file_sets_all_or_nothing(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps({"mode": "backend", "refresh_interval": 7}))
    bad.write_text(json.dumps({"mode": "frontend", "refresh_interval": "soon"}))
    config = hoist.Config("unleash")
    config.load(good)
    with pytest.raises(hoist.Error):
        config.load(bad)
    assert (config.get("mode"), config.get("refresh_interval")) == ("backend", "7")
    with pytest.raises(hoist.Error) as missing:
        config.load(tmp_path / "missing.json")
    assert missing.value.status is hoist.Status.IO
    with pytest.raises(hoist.Error) as broken:
        config.load_json("{")
    assert broken.value.status is hoist.Status.PARSE


def test_a_configuration_opens_several_clients() -> None:
    config = hoist.Config("unleash", mode="backend", online=False, store="none")
    with (
        hoist.Client(config, bootstrap={"version": 2, "features": []}) as one,
        hoist.Client(config, {"bootstrap": {"version": 2, "features": []}}, name="two") as two,
    ):
        assert one.state is not hoist.State.CLOSED and two.state is not hoist.State.CLOSED
    assert config.get("name") == ""


def test_plugins_of_a_wrong_kind_are_type_errors() -> None:
    config = hoist.Config("unleash")
    for setter in (config.set_logger, config.set_transport, config.set_dispatcher, config.set_headers, config.set_cache,
                   config.add_hook):  # fmt: skip
        with pytest.raises(TypeError, match="not int"):
            setter(5)  # type: ignore[operator]
    with pytest.raises(TypeError, match="the class Hook itself"):
        config.add_hook(hoist.Hook)  # type: ignore[arg-type]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda config: config.copy()])
def test_a_copy_is_another_configuration_of_the_same_kind(copied) -> None:
    """Before start: what one is changed to the other does not have, and plug-ins are shared."""
    first = flagship.Config(env_id="e", api_key="k", online=False, store="none", decision_group="a")
    taken: list[str] = []

    class Log(hoist.Logger):
        def write(self, level: hoist.LogLevel, message: str) -> None:
            taken.append(message)

    first.set_logger(Log())
    second = copied(first)
    assert type(second) is flagship.Config and second.provider == "flagship"
    second.set("decision_group", "b")
    assert (first.get("decision_group"), second.get("decision_group")) == ("a", "b")
    del first
    second.set("log.level", "info")
    with hoist.Client(second) as client:
        client.close(5)
    assert until(lambda: taken)


def test_a_configuration_does_not_give_its_secrets_away() -> None:
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(hoist.Config("unleash", key="very-secret"))


def test_a_property_that_is_none_is_a_mistake() -> None:
    """`key=os.environ.get("KEY")` where nothing is set must not become the key "null"."""
    with pytest.raises(TypeError, match='"key" is None'):
        hoist.Client("unleash", url="http://127.0.0.1:9/", key=None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="properties are a mapping"):
        hoist.Config("unleash", "backend")  # type: ignore[arg-type]


def test_a_store_can_be_tried_before_a_client_needs_it(tmp_path: Path) -> None:
    """Contract 10: a store that is unusable is the host's to mend. State: starting."""
    good = tmp_path / "good"
    hoist.Config("unleash", store_path=good).check_store()
    assert [path.suffix for path in good.iterdir() if path.suffix == ".sqlite"] == [".sqlite"]
    hoist.Config("unleash", store="none", store_path="/proc/nowhere").check_store()
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(good)
    for end in ("", "/", "//", "/.", "/./", "/.//."):
        with pytest.raises(hoist.Error, match="is a symbolic link"):
            hoist.Config("unleash", store_path=f"{tmp_path}/link{end}").check_store()
        hoist.Config("unleash", store_path=f"{good}{end}").check_store()
    for path in (tmp_path / "file", "/proc/nowhere"):
        with pytest.raises(hoist.Error, match=str(path)) as broken:
            hoist.Config("unleash", store_path=path).check_store()
        assert broken.value.status is hoist.Status.IO
    with pytest.raises(hoist.Error, match="no such service"):
        hoist.Config("no such service").check_store()
