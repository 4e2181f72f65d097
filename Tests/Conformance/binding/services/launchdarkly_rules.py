"""Vectors of LaunchDarkly's server-side mode, by clients that have their rules from the test and no service."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from typing import Any

import hoist
from hoist.launchdarkly import BigSegmentStore, Client, Context, EvaluationDetail
from report import Report
from vectors import Root

FLAGS_AT_ONCE = 500
FOR_EVER_MS = 86_400_000
Case = dict[str, Any]


class Segments(BigSegmentStore):
    """What a store of big segments would know."""

    def __init__(self, told: Case) -> None:
        self._told = told
        self.queries: list[str] = []

    def metadata(self) -> int | None:
        if self._told["status"] == "STORE_ERROR":
            raise OSError("the metadata cannot be read")
        return 1 if self._told["status"] == "STALE" else int(time.time() * 1000)

    def memberships(self, context_hash: str) -> Mapping[str, bool] | None:
        self.queries.append(context_hash)
        if context_hash in self._told.get("failing", ()):
            raise OSError("the memberships cannot be read")
        return self._told["memberships"].get(context_hash)


@contextmanager
def client_of(data: Any, segments: Segments | None = None, **properties: Any) -> Iterator[Client]:
    """Serves these rules, and asks no service."""
    with Client({
        "mode": "server", "online": False, "store": "none", "log.level": "none", "bootstrap": json.dumps(data),
        "big_segments_context_cache_ms": FOR_EVER_MS, "big_segments_status_poll_ms": FOR_EVER_MS, **properties,
    }, big_segments=segments) as client:
        client.wait_ready(10)
        yield client


def context_of(told: Any) -> Any:
    """What the vendor's reader refuses goes as a context of the core's, to be refused by the call."""
    try:
        return Context.from_dict(told)
    except hoist.Error:
        return hoist.Context(str(told.get("key", "")), kind=str(told.get("kind", "")))


def said(detail: EvaluationDetail[Any]) -> Case:
    return {"value": detail.value, "variationIndex": detail.variation_index, "reason": detail.reason}


def wanted(expect: Case) -> Case:
    return {"value": expect["value"], "variationIndex": expect.get("variationIndex"), "reason": expect["reason"]}


def compare(report: Report, case: object, expected: Any, actual: Any) -> None:
    report.check(case, numbers(expected), numbers(actual))


def numbers(value: Any) -> Any:
    """1.0 is 1."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [numbers(element) for element in value]
    return {name: numbers(member) for name, member in value.items()} if isinstance(value, Mapping) else value


def evaluate_sets(root: Root, report: Report) -> None:
    """Sets of flags and segments, also with big segments, and sets that are refused (4, 4.8, 4.9)."""
    for number, case in enumerate(root["cases"]):
        segments = Segments(case["store"]) if case.get("store") else None
        try:
            # The binding writes down what a store raises.
            with redirect_stderr(StringIO()), client_of(case["data"], segments) as client:
                if "accepted" in case:
                    report.check(f"{number} accepted", case["accepted"], True)
                for index, call in enumerate(case.get("evaluations", ())):
                    evaluate(f"{number} call {index}", call, client, segments, report)
        except hoist.Error as problem:
            report.check(f"{number} accepted", case.get("accepted", str(problem)), False)


def evaluate(number: str, call: Case, client: Client, segments: Segments | None, report: Report) -> None:
    if segments:
        segments.queries.clear()
    detail = client.json_variation_detail(call["flagKey"], call["default"], context_of(call["context"]))
    compare(report, number, wanted(call["expect"]), said(detail))
    if "queries" in call["expect"]:
        report.check(f"{number} queries", call["expect"]["queries"], segments.queries if segments else [])


def in_parts(root: Root, flag_of: Callable[[Case], Case]) -> Iterator[tuple[int, Case, Client, str]]:
    """Each case with a client that serves the case's flag under the key that goes with it."""
    cases = list(enumerate(root["cases"]))
    for first in range(0, len(cases), FLAGS_AT_ONCE):
        part = cases[first:first + FLAGS_AT_ONCE]
        with client_of({"flags": {f"f{number}": {"version": 1, "on": True, **flag_of(case)} for number, case in part}}) as client:
            for number, case in part:
                yield number, case, client, f"f{number}"


def place_contexts(root: Root, report: Report) -> None:
    """Rollouts as the fallthrough of a flag with three variations (4.6)."""

    def flag_of(case: Case) -> Case:
        return {"key": case["flagKey"], "salt": case["salt"], "variations": [0, 1, 2], "fallthrough": {"rollout": case["rollout"]}}

    for number, case, client, key in in_parts(root, flag_of):
        expect, reason = case["expect"], {"kind": "FALLTHROUGH"}
        if "errorKind" in expect:
            reason = {"kind": "ERROR", "errorKind": expect["errorKind"]}
        elif expect["inExperiment"]:
            reason |= {"inExperiment": True}
        index = expect["variation"]
        detail = client.json_variation_detail(key, None, context_of(case["context"]))
        report.check(number, {"value": index, "variationIndex": index, "reason": reason}, said(detail))


def test_clauses(root: Root, report: Report) -> None:
    """One clause as the only rule of a flag (4.4, 4.5)."""
    details = {
        True: {"value": True, "variationIndex": 1, "reason": {"kind": "RULE_MATCH", "ruleIndex": 0, "ruleId": "r"}},
        False: {"value": False, "variationIndex": 0, "reason": {"kind": "FALLTHROUGH"}},
        "MALFORMED_FLAG": {"value": None, "variationIndex": None, "reason": {"kind": "ERROR", "errorKind": "MALFORMED_FLAG"}},
    }

    def flag_of(case: Case) -> Case:
        rule = {"id": "r", "variation": 1, "clauses": [case["clause"]]}
        return {"key": "f", "variations": [False, True], "rules": [rule], "fallthrough": {"variation": 0}}

    for number, case, client, key in in_parts(root, flag_of):
        detail = client.json_variation_detail(key, None, context_of(case["context"]))
        report.check(number, details.get(case["expect"], case["expect"]), said(detail))


def read_types(root: Root, report: Report) -> None:
    """Calls of a type (5.2)."""
    user = Context.from_dict({"kind": "user", "key": "k"})
    for number, case, client, key in in_parts(root, lambda case: case["flag"]):
        call = getattr(client, f"{'json' if case['type'] == 'any' else case['type']}_variation_detail")
        compare(report, number, wanted(case["expect"]), said(call(key, case["default"], user)))


def list_flags(root: Root, report: Report) -> None:
    """States of all flags (6)."""
    for number, case in enumerate(root["cases"]):
        options = case["options"]
        with client_of(case["data"]) as client:
            state = client.all_flags_state(
                context_of(case["context"]), client_side_only=options.get("clientSideOnly", False),
                with_reasons=options.get("withReasons", False),
                details_only_for_tracked_flags=options.get("detailsOnlyForTrackedFlags", False))
        compare(report, number, case["expect"], state.to_dict())


def hash_contexts(root: Root, report: Report) -> None:
    """Secure mode hashes (6.1)."""
    keys = {case["sdkKey"] for case in root["cases"]}
    for key in sorted(keys):
        with client_of({}, mobile_key=key) as client:
            for number, case in enumerate(root["cases"]):
                if case["sdkKey"] == key:
                    report.check(number, case["expect"], client.secure_mode_hash(context_of(case["context"])))
