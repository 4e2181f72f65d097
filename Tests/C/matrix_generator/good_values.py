"""What a good argument is, where the type does not tell."""

from __future__ import annotations

# How a living object of a handle type comes to be. Types that appear only inside callbacks have
# none: their functions meet NULL here, and living objects in the plug-in tests.
MAKERS = {
    "hoist_config": ["host_config()", 'hoist_config_new("nobody")'],
    "hoist_client": ["host_client()", "closed_client()"],
    "hoist_context": ['hoist_context_new("user")', "hoist_context_new(NULL)"],
    "hoist_error": ["some_error()"],
    "hoist_text": ['hoist_config_describe("unleash")'],
    "hoist_detail": ["some_detail()"],
    "hoist_flag_set": ["hoist_flag_set_new()"],
    "hoist_view": ["some_view()", "hoist_view_new(NULL, NULL)"],
    "hoist_unleash_variant": ["some_variant()"],
    "hoist_unleash_bootstrap": ["hoist_unleash_bootstrap_new()"],
    "hoist_flagship_hit": ['hoist_flagship_hit_new_screen("home")', 'hoist_flagship_hit_new_transaction("T", "a")'],
    "hoist_flagship_flag": ["some_flag()", "flag_of_nobody()"],
    "hoist_flagship_flags": ["some_flags()"],
    "hoist_flagship_metadata": ["some_metadata()", "empty_metadata()"],
    "hoist_flagship_visitor": ["some_visitor()", "orphaned_visitor()"],
    "hoist_kameleoon_data": ["hoist_kameleoon_custom_data(3, NULL, 0)", "hoist_kameleoon_conversion(1, 2.5, false)",
                             'hoist_kameleoon_cookie("a", "b")'],
    "hoist_kameleoon_data_list": ["some_data_list()"],
    "hoist_kameleoon_variable": ["some_variable()"],
    "hoist_kameleoon_variation": ["some_variation()"],
    "hoist_kameleoon_variations": ["some_variations()"],
    "hoist_kameleoon_visitor": ["some_kameleoon_visitor()", "orphaned_kameleoon_visitor()"],
    "hoist_optimizely_user": ["some_user()", "orphaned_user()"],
    "hoist_optimizely_decision": ["some_decision()", "decision_of_nothing()"],
    "hoist_optimizely_decisions": ["some_decisions()"],
    "hoist_launchdarkly_value": ["some_value()", "hoist_launchdarkly_value_new_array()", 'hoist_launchdarkly_value_new_string("s")'],
    "hoist_launchdarkly_context": ["some_launchdarkly_context()", "several_contexts()"],
    "hoist_launchdarkly_builder": ['hoist_launchdarkly_builder_new("org", "k")', "hoist_launchdarkly_builder_new(NULL, NULL)"],
    "hoist_launchdarkly_multi": ["hoist_launchdarkly_multi_new()"],
    "hoist_launchdarkly_migration_tracker": ["some_tracker()"],
}

# The same for the functions of one service, where a client of another would only be refused.
SERVICE_MAKERS = {
    "hoist_flagship_": {
        "hoist_config": ["host_flagship_config()", 'hoist_config_new("nobody")'],
        "hoist_client": ["host_flagship_client()", "host_client()", "closed_flagship_client()"],
    },
    "hoist_kameleoon_": {
        "hoist_config": ["host_kameleoon_config()", 'hoist_config_new("nobody")'],
        "hoist_client": ["host_kameleoon_client()", "host_client()", "closed_kameleoon_client()"],
    },
    **dict.fromkeys(("hoist_launchdarkly_migrat", "hoist_launchdarkly_all_flags_state", "hoist_launchdarkly_secure_mode_hash",
                     "hoist_launchdarkly_observe_flag_"), {
        "hoist_client": ["host_launchdarkly_server()", "host_launchdarkly_client()", "host_client()"],
    }),
    "hoist_launchdarkly_": {
        "hoist_config": ["host_launchdarkly_config()", 'hoist_config_new("nobody")'],
        "hoist_client": ["host_launchdarkly_client()", "host_client()", "closed_launchdarkly_client()"],
    },
    "hoist_optimizely_": {
        "hoist_config": ["host_optimizely_config()", 'hoist_config_new("nobody")'],
        "hoist_client": ["host_optimizely_client()", "host_client()", "closed_optimizely_client()"],
    },
}

# Functions for which NULL as the object is documented to be no failure.
NULL_IS_SUCCESS = {"hoist_client_share", "hoist_error_status", "hoist_notification_status", "hoist_unleash_last_error"}

# Parameters for which no json_t is documented to stand for none.
OPTIONAL_JSON = {
    "hoist_client_track_jansson": {"properties"},
    "hoist_flag_set_add_jansson": {"values", "metadata"},
    "hoist_optimizely_send_odp_event_jansson": {"identifiers", "data"},
    "hoist_launchdarkly_track_jansson": {"data"},
    "hoist_launchdarkly_track_for_jansson": {"data"},
    "hoist_launchdarkly_variation_decode_jansson": {"fallback"},
    "hoist_flagship_visitor_jansson": {"fallback"},
    "hoist_flagship_flag_jansson": {"fallback"},
    "hoist_flagship_visitor_lookup_reply_jansson": {"record"},
    "hoist_flagship_hit_lookup_reply_jansson": {"records"},
}

SERVICES = tuple(f"hoist_{name}_" for name in ("flagship", "kameleoon", "launchdarkly", "optimizely", "unleash"))

# What undoes a call that may have succeeded and owns something by then.
UNDONE_BY = {"hoist_provider_register": 'hoist_provider_unregister("text", NULL)'}

# Functions whose result is another handle's to free.
BORROWED_RESULTS = {"hoist_client_shared", "hoist_launchdarkly_environment", "hoist_kameleoon_visitor_client"}

# The good value of a text, by function and parameter, by parameter, or else "on" (a flag's key).
GOOD_TEXTS = {
    ("hoist_config_set", "name"): '"url"',
    ("hoist_config_get", "name"): '"url"',
    ("hoist_config_set", "value"): "HOST_DEAD_URL",
    ("hoist_config_set_json", "json"): '"{\\"key\\":\\"k\\"}"',
    ("hoist_flagship_visitor_json", "fallback"): '"[1]"',
    ("hoist_flagship_flag_json", "fallback"): '"[1]"',
    ("hoist_client_json", "fallback"): '"[1]"',
    ("hoist_launchdarkly_context_from_json", "json"): '"{\\"kind\\":\\"org\\",\\"key\\":\\"k\\"}"',
    ("hoist_launchdarkly_context_get", "reference"): '"/a/on"',
    ("hoist_optimizely_start_with_datafile", "datafile"): "HOST_DATAFILE",
    ("hoist_optimizely_save_datafile", "datafile"): "HOST_DATAFILE",
    ("hoist_kameleoon_data_from_json", "json"): '"{\\"type\\":\\"Device\\",\\"device\\":\\"PHONE\\"}"',
    "cookies": '"kameleoonVisitorCode=me"',
    "cookie_value": '"{}"',
    ("hoist_optimizely_decision_value", "path"): '"color"',
    ("hoist_optimizely_decision_value_jansson", "path"): '"color"',
    ("hoist_launchdarkly_environment", "name"): '"default"',
    "identifiers_json": '"{\\"email\\":\\"a@b\\"}"',
    "data_json": '"{\\"n\\":1}"',
    "experiment_key": '"test"',
    "event_key": '"buy"',
    "variable": '"color"',
    "variable_key": '"color"',
    "variation_key": '"blue"',
    ("hoist_config_load_plugin", "path"): "MATRIX_PLUGIN",
    ("hoist_plugin_describe", "path"): "MATRIX_PLUGIN",
    ("hoist_plugin_describe_jansson", "path"): "MATRIX_PLUGIN",
    "path": '"/dev/null"',
    "provider": '"unleash"',
    ("hoist_launchdarkly_track", "data"): '"[1]"',
    ("hoist_launchdarkly_track_for", "data"): '"[1]"',
    "json": '"{\\"a\\":1}"',
    "fallback": '"fallback"',
}
