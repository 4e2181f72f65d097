#!/usr/bin/env python3
"""Records test vectors by asking Kameleoon's own Python SDK, used as a black box and offline.

    python3 -m venv oracle
    oracle/bin/pip install kameleoon-client-python==3.22.2
    oracle/bin/python Tests/Conformance/record_kameleoon.py Tests/Conformance/vectors/kameleoon [SEED]

Configurations, visitors and calls are generated from a seed; the expected values are what the SDK answers and what it would
send. Nothing depends on time or chance: the clock stands still, and nonces are placeholders. Where kits are known to differ
(protocol section 7) these vectors say nothing. The vectors in the checkout are those of the seed that is used when none is given.
"""
import sys

from recording import kameleoon_cases, vector_file
from recording.kameleoon_inputs import rng

ORACLE = "kameleoon-client-python==3.22.2"
SEED = 20261122

vector_file.record_all(sys.argv[1], ORACLE, rng, {
    "hash": kameleoon_cases.hash_file,
    "bucketing": kameleoon_cases.bucketing_file,
    "exclusion": kameleoon_cases.exclusion_file,
    "targeting": kameleoon_cases.targeting_file,
    "forced": kameleoon_cases.forced_file,
    "tracking": kameleoon_cases.tracking_file,
}, SEED, shows_seed=True)
