"""The services' headers are one family: what means the same has the same shape in each of them (contract 11)."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Headers"))
from declarations import Function, read_headers  # noqa: E402

VENDORS = ("flagship", "kameleoon", "launchdarkly", "optimizely", "unleash")
INTERFACE = read_headers()
FUNCTIONS = {name: one for name, one in INTERFACE.functions.items() if name.startswith(tuple(f"hoist_{v}_" for v in VENDORS))}
TEXT = "".join((ROOT / "Include/hoist" / header).read_text() for header in INTERFACE.headers)
# Reads or sets one JSON value of a thing, and neither makes the thing nor tells all of it.
ONE_VALUE = {
    "hoist_flagship_flag_json", "hoist_flagship_visitor_json", "hoist_kameleoon_variable_json", "hoist_optimizely_feature_json",
    "hoist_launchdarkly_builder_set_json", "hoist_optimizely_user_set_json", "hoist_flagship_visitor_update_context_json"}
# What is JSON under another name, and so has a form for jansson of its own name.
JSON_BY_ANOTHER_NAME = {
    "hoist_flagship_collect_emotion", "hoist_flagship_flag_explain", "hoist_flagship_hit_lookup_reply",
    "hoist_flagship_visitor_context", "hoist_flagship_visitor_export", "hoist_flagship_visitor_lookup_reply",
    "hoist_kameleoon_datafile", "hoist_kameleoon_feature_list", "hoist_kameleoon_feature_variation_variables",
    "hoist_kameleoon_visitor_active_feature_list", "hoist_kameleoon_visitor_add_remote_visitor_data", "hoist_kameleoon_visitor_explain",
    "hoist_kameleoon_visitor_get_remote_data_wait", "hoist_launchdarkly_all_flags", "hoist_launchdarkly_all_flags_state",
    "hoist_launchdarkly_context_redacted",
    "hoist_launchdarkly_detail_reason", "hoist_launchdarkly_track", "hoist_launchdarkly_variation_decode",
    "hoist_optimizely_datafile", "hoist_optimizely_decision_value", "hoist_optimizely_decision_variables",
    "hoist_optimizely_enabled_features", "hoist_optimizely_feature_variables", "hoist_optimizely_profile_sink_put",
    "hoist_optimizely_save_datafile", "hoist_optimizely_saved_datafile", "hoist_optimizely_send_odp_event",
    "hoist_optimizely_start_with_datafile", "hoist_optimizely_track", "hoist_optimizely_user_attributes",
    "hoist_optimizely_user_explain", "hoist_optimizely_user_segments", "hoist_optimizely_user_track", "hoist_unleash_context", "hoist_unleash_list_toggles"}


def parameters(function: Function) -> list[str]:
    return [str(parameter.type) for parameter in function.parameters]


def is_handle(base: str) -> bool:
    return base in INTERFACE.opaque


@pytest.mark.parametrize("vendor", VENDORS)
def test_observers_are_a_table_with_a_token(vendor: str) -> None:
    """`user_data` and `release` in the table, a token out, the client's own call ends it."""
    observes = [one for name, one in FUNCTIONS.items() if re.match(rf"hoist_{vendor}_observe(?!_histogram)", name)]
    assert observes or vendor == "unleash", "no call observes"  # its events are topics of the core's call
    for one in observes:
        assert parameters(one)[-2:] == [f"const hoist_{vendor}_observer *", "hoist_token *"], one.name
    for name, members in INTERFACE.structs.items():
        if name.startswith(f"hoist_{vendor}_") and name.endswith("_observer"):
            assert [member.name for member in members[:2]] == ["struct_size", "user_data"], name
            assert "release" in [member.name for member in members], name  # newer members come after it
    former = [name for name in (*FUNCTIONS, *INTERFACE.structs, *INTERFACE.opaque) if re.search(rf"{vendor}_(\w+_)?(listeners?|owner)(_|$)", name)]
    assert former == []


def test_json_is_read_by_from_json_and_told_by_to_json() -> None:
    for name, one in FUNCTIONS.items():
        if name.endswith("_from_json"):
            assert parameters(one) == ["const char *", "size_t", "hoist_error * *"] and is_handle(one.result.base), name
        if name.endswith("_to_json"):
            assert str(one.result) == "hoist_text *" and len(one.parameters) == 1, name
    assert {name for name in FUNCTIONS if name.endswith("_json")} == {
        name for name in FUNCTIONS if name.endswith(("_from_json", "_to_json"))} | ONE_VALUE


def test_a_text_is_null_for_a_null_handle_alone() -> None:
    for name, one in FUNCTIONS.items():
        if one.result.base == "char" and one.result.depth == 1:
            of_handle = bool(one.parameters) and is_handle(one.parameters[0].type.base)
            assert one.result.pointers[0].is_nullable is of_handle, name


def test_a_start_acts_on_a_client() -> None:
    starts = [one for name, one in FUNCTIONS.items() if re.fullmatch(rf"hoist_({'|'.join(VENDORS)})_start(_\w+)?", name)]
    assert len(starts) >= 4
    for one in starts:
        assert parameters(one)[0] == "hoist_client *", one.name


def test_every_table_that_a_host_fills_has_an_initializer() -> None:
    for name in INTERFACE.structs:
        if name.startswith(tuple(f"hoist_{vendor}_" for vendor in VENDORS)) and f"sizeof({name}) */" in TEXT and not name.endswith(("_series", "_metadata")):
            assert re.search(rf"#define {name.upper()}_INIT\s*\\?\n?\s*\{{ sizeof\({name}\)", TEXT), name


def test_every_call_with_json_has_a_form_for_jansson() -> None:
    for name in [*(name for name in FUNCTIONS if name.endswith("_json")), *JSON_BY_ANOTHER_NAME]:
        form = f"{name[:-len('_json')]}_jansson" if name.endswith("_json") else f"{name}_jansson"
        assert form in FUNCTIONS and FUNCTIONS[form].header == "jansson.h", form


@pytest.mark.parametrize("vendor", VENDORS)
def test_every_header_says_what_the_cores_calls_are_there(vendor: str) -> None:
    assert "The core's calls here ----" in (ROOT / f"Include/hoist/{vendor}.h").read_text()
