"""Plug-ins in shared objects, loaded through the binding: the examples in C."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from documents import TYPED

import hoist
from hoist import Status

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with some of the examples as shared objects."""
    named = os.environ.get("HOIST_LIBRARY")
    if not named:
        pytest.skip("HOIST_LIBRARY does not name the library")
    library = Path(named).resolve()
    folder = tmp_path_factory.mktemp("objects")
    for name in ("hook", "transport", "header_provider", "flag_file_provider"):
        source = ROOT / f"Examples/plugins/{name}.c"
        command = [os.environ.get("CC", "cc"), "-std=c99", "-shared", "-fPIC", "-I", ROOT / "Include"]
        subprocess.run([*command, "-o", folder / f"{name}.so", source, library, "-ljansson"], check=True)
    return folder


def test_an_object_tells_what_it_offers(examples: Path) -> None:
    offered = hoist.describe_plugin(examples / "hook.so")
    assert offered == hoist.PluginDescription("example hook", None, 1, ("hook",), ())


def test_a_loaded_hook_refuses_an_evaluation(examples: Path) -> None:
    config = hoist.Config("unleash", mode="backend", online=False, store="none", bootstrap=TYPED)
    config.load_plugin(str(examples / "hook.so"))
    with hoist.Client(config) as client:
        assert client.wait_ready(5)
        assert client.bool("switch") is True
        detail = client.detail("forbidden", None, True)  # the example's `before` fails for this key
        assert (detail.value, detail.reason) == (True, "ERROR")


def test_a_loaded_transport_reads_its_options(examples: Path) -> None:
    config = hoist.Config("unleash", mode="backend", url="http://flags.example/api", key="*:production.x", store="none")
    config.load_plugin(examples / "transport.so", str(ROOT / "Examples/data/features.json"))
    with hoist.Client(config) as client:
        assert client.wait_ready(5)
        assert client.bool("banner") is True
        assert client.flush(5)


def test_a_service_from_an_object_is_a_client_like_any_other(examples: Path, tmp_path: Path) -> None:
    path, flags = examples / "flag_file_provider.so", ROOT / "Examples/data/flags.json"
    assert hoist.describe_plugin(path).provider == "flag-file"
    with pytest.raises(hoist.Error, match='unknown provider "flag-file"'):
        hoist.Config("flag-file", path=flags)
    config = hoist.Config("flag-file")
    config.load_plugin(path)
    config.update(path=flags, store="none")
    assert config.get("path") == str(flags)
    with hoist.Client(config) as client:
        assert client.wait_ready(5)
        assert client.bool("banner") is True
        assert client.string("greeting", None, "hello") == "Good day"
        assert client.int("page-size") == 50
        detail = client.detail("theme", None, {"night": False})
        assert (detail.value, detail.reason) == ({"night": False}, "DISABLED")
        assert client.track("purchase") is Status.UNSUPPORTED
    with pytest.raises(hoist.Error, match='property "path" is required'):
        other = hoist.Config("flag-file")
        other.load_plugin(path)
        hoist.Client(other)


def test_what_cannot_be_loaded_is_an_error_that_names_it(examples: Path, tmp_path: Path) -> None:
    config = hoist.Config("unleash")
    for call in (config.load_plugin, hoist.describe_plugin):
        with pytest.raises(hoist.Error, match="nowhere.so cannot be loaded: No such file") as missing:
            call(tmp_path / "nowhere.so")
        assert missing.value.status is Status.IO
    with pytest.raises(hoist.Error, match="header_provider.so could not make its header provider: .* at most 31 bytes") as refused:
        config.load_plugin(examples / "header_provider.so", "x" * 40)
    assert refused.value.status is Status.PLUGIN
    config.load_plugin(examples / "header_provider.so")
    with pytest.raises(hoist.Error, match="has one already") as taken:
        config.load_plugin(examples / "header_provider.so")
    assert taken.value.status is Status.STATE


def test_a_property_names_the_plugins_of_a_client(examples: Path) -> None:
    """Each client gets its own; a text of options is handed over as it is, and never shown again."""
    config = hoist.Config("unleash", mode="backend", url="http://flags.example/api", key="*:production.x", store="none")
    config.set("plugins", {str(examples / "transport.so"): str(ROOT / "Examples/data/features.json"), str(examples / "hook.so"): {}})
    assert json.loads(config.get("plugins") or "") == {str(examples / "transport.so"): "***", str(examples / "hook.so"): "***"}
    for _ in range(2):
        with hoist.Client(config) as client:
            assert client.wait_ready(5)
            assert client.bool("banner") is True
            assert client.detail("forbidden", None, True).reason == "ERROR"


@pytest.mark.parametrize(("value", "said"), [
    ({"./nowhere.so": {}}, r'property "plugins": the plug-in ./nowhere.so cannot be loaded'),
    ({"no-such-name": {}}, r'property "plugins": the plug-in /.*/hoist/libhoist-no-such-name.so cannot be loaded'),
    ({"": {}}, r'property "plugins": a plug-in\'s name is empty'),
    ({"/x.so": 3}, "must be a JSON object whose members are objects or texts"),
    (["/x.so"], "must be a JSON object whose members are objects or texts"),
])
def test_what_cannot_be_a_plugin_is_named(value: object, said: str) -> None:
    with pytest.raises(hoist.Error, match=said):
        hoist.Client("unleash", mode="backend", online=False, store="none", bootstrap=TYPED, plugins=value)


def test_two_of_one_kind_are_refused(examples: Path) -> None:
    config = hoist.Config("unleash", mode="backend", online=False, store="none", bootstrap=TYPED)
    config.load_plugin(examples / "transport.so", str(ROOT / "Examples/data/features.json"))
    config.set("plugins", {str(examples / "transport.so"): ""})
    with pytest.raises(hoist.Error, match="offers a transport, and the configuration has one already"):
        hoist.Client(config)


def test_a_file_that_others_may_write_names_no_plugins(examples: Path, tmp_path: Path) -> None:
    file = tmp_path / "flags.json"
    file.write_text(json.dumps({"store": "none", "plugins": {str(examples / "hook.so"): {}}}))
    file.chmod(0o666)
    config = hoist.Config("unleash", mode="backend")
    with pytest.raises(hoist.Error, match="the configuration file names plug-ins, and others may change it"):
        config.load(file)
    assert config.get("store") == "sqlite" and config.get("plugins") == "{}"
    file.chmod(0o600)
    config.load(file)
    assert "hook.so" in (config.get("plugins") or "")
