#!/usr/bin/env python3
"""Records test vectors by asking Optimizely's own Python SDK, used as a black box and offline.

    python3 -m venv oracle
    oracle/bin/pip install optimizely-sdk==5.7.0
    oracle/bin/python Tests/Conformance/record_optimizely.py Tests/Conformance/vectors/optimizely [SEED]

Datafiles, visitors and calls are generated from a seed; the expected values are what the SDK answers, and what it
hands to its event dispatcher, its observers and its profile service. Nothing depends on time or chance; time stamps,
UUIDs and the sender's name are placeholders. The vectors in the checkout are those of the seed that is used when none
is given.
"""
import sys

from recording import optimizely_calls, optimizely_rules, vector_file
from recording.optimizely_inputs import rng

ORACLE = "optimizely-sdk==5.7.0"
SEED = 20260321

vector_file.record_all(sys.argv[1], ORACLE, rng, {
    "bucketing": optimizely_rules.bucketing_file,
    "conditions": optimizely_rules.condition_file,
    "condition_trees": optimizely_rules.tree_file,
    "versions": optimizely_rules.version_file,
    "decide": optimizely_calls.decide_file,
    "profiles": optimizely_calls.profile_file,
    "track": optimizely_calls.track_file,
    "legacy_calls": optimizely_calls.legacy_file,
}, SEED)
