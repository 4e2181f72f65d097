"""Flags of Kameleoon visitors through the face: variations, variables, lists, forced ones, the core's calls."""

from __future__ import annotations

import pytest
from kameleoon import KameleoonSimulator, sample_configuration
from kameleoon_clients import Opener, checkout_of

import hoist
from hoist import kameleoon as face
from hoist.kameleoon import CustomData, Device, DeviceType, Variation

CODES = [f"visitor-{number}" for number in range(12)]


@pytest.mark.parametrize("code", CODES)
def test_an_experiment_gives_the_variation_of_the_hash(open_kameleoon: Opener, code: str) -> None:
    """(KAM-23, KAM-30, KAM-38; ready)"""
    variation = open_kameleoon().visitor(code).variation("checkout")
    key = checkout_of(code)
    assert (variation.key, variation.experiment_id) == (key, 100)
    assert variation.id == {"off": 11, "short": 12, "express": 13}[key]
    assert variation.name == key.capitalize() and variation.is_active is (key != "off")


def test_variables_have_types(open_kameleoon: Opener) -> None:
    """Integers stay integers (KAM-39, KAM-B13; ready)"""
    code = next(code for code in CODES if checkout_of(code) == "short")
    variables = open_kameleoon().visitor(code).variation("checkout").variables
    assert {key: variable.value for key, variable in variables.items()} == {
        "title": "Kurz & gut", "steps": 2, "ratio": 0.75, "fast": True, "layout": {"columns": [1]}}  # fmt: skip
    types = [variables[key].type for key in ("title", "steps", "fast", "layout")]
    assert types == ["STRING", "NUMBER", "BOOLEAN", "JSON"]
    assert isinstance(variables["steps"].value, int)


def test_without_a_rule_that_fits_it_is_the_default(open_kameleoon: Opener) -> None:
    """(KAM-25; ready)"""
    visitor = open_kameleoon().visitor("carla")
    assert visitor.variation("loyal") == Variation("off", "Off", -1, -1, {})
    limits = visitor.variation("limits")
    assert (limits.key, limits.variables["requests"].value) == ("standard", 9007199254740991)


def test_what_is_told_of_the_visitor_targets(open_kameleoon: Opener) -> None:
    """(KAM-40; ready)"""
    visitor = open_kameleoon().visitor("carla")
    assert not visitor.is_feature_active("loyal") and not visitor.is_feature_active("banner")
    visitor.add_data(CustomData(0, "silver", "gold"), Device(DeviceType.PHONE))
    assert visitor.is_feature_active("loyal") and visitor.variation("banner").id == 21
    visitor.add_data(CustomData("plan", "silver"))
    assert not visitor.is_feature_active("loyal")
    visitor.add_data(CustomData("tier", "grün"), track=False)
    assert visitor.is_feature_active("loyal")


def test_errors_have_names(open_kameleoon: Opener) -> None:
    """A flag that is disabled is not active, and no error (KAM-22, KAM-24, KAM-73; ready)"""
    visitor = open_kameleoon().visitor("carla")
    assert visitor.is_feature_active("hidden") is False
    for key, status in (("hidden", hoist.Status.KAMELEOON_FEATURE_ENVIRONMENT_DISABLED),
                        ("nowhere", hoist.Status.KAMELEOON_FEATURE_NOT_FOUND)):  # fmt: skip
        with pytest.raises(hoist.Error) as refused:
            visitor.variation(key)
        assert refused.value.status is status
    with pytest.raises(hoist.Error) as refused:
        visitor.is_feature_active("nowhere")
    assert refused.value.status is hoist.Status.KAMELEOON_FEATURE_NOT_FOUND


def test_before_there_is_a_configuration_nothing_is_ready(
    kameleoon: KameleoonSimulator, open_kameleoon: Opener
) -> None:
    """(KAM-15, KAM-73; starting, failing)"""
    kameleoon.fail("configuration", "status", status=503, times=None)
    client = open_kameleoon(ready=False)
    visitor = client.visitor("carla")
    assert visitor.add_data(CustomData(0, "gold")) and not client.is_ready
    for call in (lambda: visitor.variation("loyal"), lambda: visitor.is_feature_active("loyal"),
                 lambda: visitor.variations(), lambda: client.feature_list):  # fmt: skip
        with pytest.raises(hoist.Error) as refused:
            call()
        assert refused.value.status is hoist.Status.KAMELEOON_SDK_NOT_READY


def test_all_flags(open_kameleoon: Opener) -> None:
    """(KAM-26, KAM-27, KAM-32; ready)"""
    client = open_kameleoon()
    visitor = client.visitor("carla")
    assert client.feature_list == ["checkout", "banner", "loyal", "limits", "hidden"]
    found = visitor.variations()
    assert list(found) == ["checkout", "banner", "loyal", "limits"] and found["loyal"].key == "off"
    active = visitor.variations(only_active=True)
    assert set(active) == {"limits"} | ({"checkout"} if checkout_of("carla") != "off" else set())


def test_forced_variations(open_kameleoon: Opener) -> None:
    """(KAM-B01; ready)"""
    visitor = open_kameleoon().visitor("carla")
    assert visitor.set_forced_variation(300, "on")
    assert visitor.variation("loyal").id == 31
    assert visitor.set_forced_variation(300, "on", force_targeting=False)
    assert visitor.variation("loyal").key == "off"
    assert visitor.set_forced_variation(300, None) and visitor.variation("loyal").key == "off"
    assert visitor.set_forced_variation(301, "on") is hoist.Status.KAMELEOON_FEATURE_EXPERIMENT_NOT_FOUND
    assert visitor.set_forced_variation(300, "novel") is hoist.Status.KAMELEOON_FEATURE_VARIATION_NOT_FOUND


def test_simulated_variations_are_not_told(kameleoon: KameleoonSimulator, open_kameleoon: Opener) -> None:
    """(KAM-B27; ready)"""
    client = open_kameleoon()
    visitor = client.visitor("carla")
    assert visitor.set_simulated_variations('{"loyal":{"expId":300,"varId":31}}')
    assert visitor.variation("loyal").key == "on"
    assert visitor.set_simulated_variations("[") is hoist.Status.PARSE
    assert visitor.set_simulated_variations(None) and visitor.variation("loyal", track=False).key == "off"
    client.flush(5)
    assert kameleoon.ledger.exposures() == {}


def test_consent_that_is_refused_blocks(kameleoon: KameleoonSimulator, open_kameleoon: Opener) -> None:
    """(KAM-60, KAM-B16; no consent)"""
    code = next(code for code in CODES if checkout_of(code) != "off")
    kameleoon.publish(sample_configuration(consent="PARTIALLY_BLOCK"))
    visitor = open_kameleoon().visitor(code)
    assert visitor.legal_consent is face.Consent.UNKNOWN and visitor.variation("checkout", track=False).id != -1
    assert visitor.set_legal_consent(False)
    assert visitor.legal_consent is face.Consent.REFUSED and visitor.variation("checkout").id == -1
    kameleoon.publish(sample_configuration(consent="FULLY_BLOCK"))
    blocked = open_kameleoon().visitor(code)
    blocked.set_legal_consent(False)
    with pytest.raises(hoist.Error) as refused:
        blocked.variation("checkout")
    assert refused.value.status is hoist.Status.KAMELEOON_FEATURE_EVALUATION_BLOCKED
    assert blocked.is_feature_active("checkout") is False


def test_the_cores_calls(open_kameleoon: Opener) -> None:
    client = open_kameleoon()
    context = hoist.Context("carla", plan="gold")
    assert client.bool("loyal", context) is True and client.string("loyal", context) == "on"
    assert client.bool("loyal", hoist.Context("carla")) is False
    assert client.bool("nowhere", context, True) is True
    detail = client.explain("loyal", context)
    assert detail.variation == "on" and "CUSTOM_DATUM" in str(detail.explanation)


def test_deprecated_calls(open_kameleoon: Opener) -> None:
    """(KAM-31, KAM-33 to KAM-36; ready)"""
    client = open_kameleoon()
    visitor = client.visitor(next(code for code in CODES if checkout_of(code) == "express"))
    assert visitor.variation_key("checkout") == "express"
    assert visitor.variable("checkout", "ratio") == 1.5
    assert visitor.active_feature_list == ["checkout", "limits"]
    assert set(visitor.active_features) == {"checkout", "limits"}
    assert client.variables_of("checkout", "short")["steps"] == 2
    for call, status in (
        (lambda: visitor.variable("checkout", "nowhere"), hoist.Status.KAMELEOON_FEATURE_VARIABLE_NOT_FOUND),
        (lambda: client.variables_of("checkout", "x"), hoist.Status.KAMELEOON_FEATURE_VARIATION_NOT_FOUND),
    ):
        with pytest.raises(hoist.Error) as refused:
            call()
        assert refused.value.status is status


def test_the_data_file(open_kameleoon: Opener) -> None:
    """(KAM-B13; ready)"""
    file = open_kameleoon().datafile
    assert file["dateModified"] == 1_767_225_600_000
    checkout = file["featureFlags"]["checkout"]
    assert checkout["environmentEnabled"] is True and checkout["defaultVariationKey"] == "off"
    assert checkout["variations"]["short"]["variables"]["steps"]["value"] == 2
