#!/usr/bin/env python3
"""Records test vectors by asking Unleash's own engine, used as a black box.

    python3 -m venv oracle
    oracle/bin/pip install yggdrasil-engine==2.0.0 mmh3==5.1.0
    oracle/bin/python Tests/Conformance/record_unleash.py Tests/Conformance/vectors/unleash [SEED]

States and contexts are generated from a seed; the expected values are what the engine answers. Only
`frontend_decode.json` is not recorded: the engine does not read such documents, so its expected values are
written down by the rules. Cases never depend on a random draw or on the time of day. The vectors in the checkout
are those of the seed that is used when none is given.
"""
import os
import sys

from recording import documents, evaluation, inputs, vector_file

ORACLE = "yggdrasil-engine==2.0.0"
SEED = 20260105


def main():
    folder = sys.argv[1]
    inputs.rng.seed(int(sys.argv[2]) if len(sys.argv) > 2 else SEED)
    os.makedirs(folder, exist_ok=True)
    for name, made in evaluation.constraint_files():
        vector_file.write(folder, name, {"oracle": ORACLE, **made})
    for name, record in {
        "rollout": evaluation.rollout_file,
        "lists": evaluation.list_file,
        "variants": evaluation.variant_file,
        "dependencies": evaluation.dependency_file,
        "segments": evaluation.segment_file,
        "custom_strategies": evaluation.custom_file,
        "context_json": evaluation.context_file,
        "random_states": evaluation.random_file,
        "frontend_response": evaluation.response_file,
        "distribution": evaluation.distribution_file,
        "delta": documents.delta_file,
        "state": documents.state_file,
        "hash": documents.hash_file,
        "frontend_decode": documents.decode_file,
    }.items():
        vector_file.write(folder, name, {"oracle": ORACLE, **record()})


main()
