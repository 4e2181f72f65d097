#!/usr/bin/env python3
"""Records test vectors by asking AB Tasty Flagship's own Python SDK, used as a black box and offline.

    python3 -m venv oracle
    oracle/bin/pip install flagship==3.0.1
    oracle/bin/python Tests/Conformance/record_flagship.py Tests/Conformance/vectors/flagship [SEED]

Campaigns, visitors and calls are generated from a seed; the expected values are what the SDK answers and what it would
send. Where kits are known to differ (protocol section 11) these vectors say nothing. Nothing depends on time or chance;
ages, generated ids and the sender's name are placeholders. The vectors in the checkout are those of the seed that is used
when none is given.
"""
import os
import sys

FOLDER = os.path.abspath(sys.argv[1])

from recording import flagship_rules, flagship_visitors, flagship_wire, vector_file
from recording.flagship_inputs import rng

ORACLE = "flagship==3.0.1 (PyPI)"
SEED = 20260321

vector_file.record_all(FOLDER, ORACLE, rng, {
    "hash": flagship_rules.hash_file,
    "targeting": flagship_rules.targeting_file,
    "targeting_groups": flagship_rules.targeting_group_file,
    "allocation": flagship_rules.allocation_file,
    "campaigns": flagship_rules.campaign_file,
    "flag_values": flagship_visitors.value_file,
    "context": flagship_visitors.context_file,
    "decision_response": flagship_visitors.response_file,
    "xpc": flagship_visitors.continuity_file,
    "wire_hits": flagship_wire.hit_file,
    "hit_validation": flagship_wire.validation_file,
    "wire_consent": flagship_wire.consent_file,
    "wire_activate": flagship_wire.activation_file,
    "wire_decision_request": flagship_wire.decision_file,
    "wire_bucketing": flagship_wire.bucketing_file,
}, SEED, shows_seed=True)
