#!/usr/bin/env python3
"""Records test vectors of LaunchDarkly's server-side mode by asking LaunchDarkly's own Python SDK, used as a black box and offline.

    python3 -m venv oracle
    oracle/bin/pip install launchdarkly-server-sdk==9.18.2
    oracle/bin/python Tests/Conformance/record_launchdarkly_server.py Tests/Conformance/vectors/launchdarkly-server [SEED]

Inputs are generated from a seed, besides those that show one thing. `expect` is what the SDK answers when it follows the rulings
of Documentation/Protocols/launchdarkly-server.md, section 14; where it says something else by itself that is `oracle`, and
`divergence` names the rulings. The types of `typed` are those of the page. The vectors in the checkout are those of the seed that
is used when none is given.
"""
import sys

from recording import (
    launchdarkly_server_cases as cases, launchdarkly_server_events as events, launchdarkly_server_inputs as inputs,
    launchdarkly_server_sets as sets, launchdarkly_server_updates as updates, vector_file)

ORACLE = "launchdarkly-server-sdk==9.18.2"
SEED = 20261126

vector_file.record_all(sys.argv[1], ORACLE, inputs.rng, {
    "bucketing": cases.bucketing_file,
    "clauses": cases.clauses_file,
    "parse_values": cases.values_file,
    "evaluation": sets.evaluation_file,
    "big_segments": sets.big_segments_file,
    "big_segment_hash": cases.context_hash_file,
    "all_flags_state": sets.all_flags_file,
    "secure_mode_hash": cases.secure_hash_file,
    "malformed": cases.malformed_file,
    "typed": cases.typed_file,
    "events": events.events_file,
    "index_dedup": events.index_file,
    "store_updates": updates.updates_file,
    "migration_events": events.migration_file,
}, SEED, shows_seed=True)
