#!/usr/bin/env python3
"""Records test vectors by asking LaunchDarkly's own Python SDK, used as a black box and offline.

    python3 -m venv oracle
    oracle/bin/pip install launchdarkly-server-sdk==9.18.2
    oracle/bin/python Tests/Conformance/record_launchdarkly.py Tests/Conformance/vectors/launchdarkly [SEED]

Contexts are generated from a seed; the expected values are what the SDK answers. Hashes are made here, of the texts that
they are documented to be made of. The vectors in the checkout are those of the seed that is used when none is given.
"""
import sys

from recording import launchdarkly_contexts, vector_file

ORACLE = "launchdarkly-server-sdk==9.18.2"
SEED = 20260407

vector_file.record_all(sys.argv[1], ORACLE, launchdarkly_contexts.rng, {
    "context_parse": launchdarkly_contexts.parse_file,
    "context_hash": launchdarkly_contexts.hash_file,
    "attribute_refs": launchdarkly_contexts.reference_file,
    "redaction": launchdarkly_contexts.redaction_file,
    "request_context": launchdarkly_contexts.request_file,
}, SEED)
