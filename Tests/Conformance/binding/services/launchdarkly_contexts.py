"""Vectors of LaunchDarkly's contexts."""

from __future__ import annotations

import json
from typing import Any

import hoist
from hoist.launchdarkly import Context, literal, reference_names
from report import Report
from vectors import Root


def parse(root: Root, report: Report) -> None:
    """JSON to a context and back; or refused."""
    for index, case in enumerate(root["cases"]):
        try:
            context = Context.from_json(case["input"])
        except hoist.Error:
            report.check(f"{index} valid", case["valid"], False)
            continue
        if None in context.keys.values():  # the client makes it, where the vendor's parser wants it
            report.check(f"{index} valid", case["valid"], False)
            continue
        report.check(f"{index} valid", case["valid"], True)
        if case["valid"]:
            report.check(f"{index} output", with_names(case["output"]), with_names(context.to_dict()))
            report.check(f"{index} keys", case["context_keys"], context.keys)
            if sayable_key(root, case):
                report.check(f"{index} key", case["fully_qualified_key"], context.fully_qualified_key)
            else:
                report.skip(1, "context_parse: a text of C ends at its first NUL")


def sayable_key(_root: Root, case: Any) -> bool:
    """Other texts are told as JSON, which writes a NUL in other characters."""
    return not case["valid"] or "\0" not in case["fully_qualified_key"]


def identify(root: Root, report: Report) -> None:
    """What identifies a context in events; the hashes are the store's affair."""
    for index, case in enumerate(root["cases"]):
        report.check(index, case["fully_qualified_key"], Context.from_dict(case["context"]).fully_qualified_key)


def references(root: Root, report: Report) -> None:
    """A reference's names."""
    for index, case in enumerate(root["cases"]):
        if not sayable_reference(root, case):
            report.skip(1, "attribute_refs: a text of C ends at its first NUL")
            continue
        try:
            names = reference_names(literal(case["text"]) if case["literal"] else case["text"])
        except hoist.Error:
            names = None
        report.check(f"{index} valid", case["valid"], names is not None)
        report.check(index, case["components"], names or [])


def sayable_reference(_root: Root, case: Any) -> bool:
    return "\0" not in case["text"]


def redact(root: Root, report: Report) -> None:
    """A context as events hold it."""
    for index, case in enumerate(root["cases"]):
        context = Context.from_dict(case["context"])
        output = context.redacted(
            case["global_private"], all_private=case["all_attributes_private"], anonymous=case["redact_anonymous"])
        report.check(index, with_names(case["output"]), with_names(output))


def request(root: Root, report: Report) -> None:
    """A context as flag services get it."""
    for index, case in enumerate(root["cases"]):
        context = Context.from_dict(case["context"])
        report.check(index, with_names(case["json_in_url"]), with_names(context.to_dict()))


def with_names(value: Any) -> Any:
    """References as lists of names in order: their spelling is free, and invalid or repeated ones may be left out of what
    is private. Numbers without fraction as integers."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [with_names(element) for element in value]
    if not isinstance(value, dict):
        return value
    made = {name: with_names(member) for name, member in value.items() if name != "_meta"}
    meta = value.get("_meta")
    if isinstance(meta, dict):
        redacted = [names(reference) for reference in meta.get("redactedAttributes", [])]
        private = {json.dumps(found) for found in map(names, meta.get("privateAttributes", [])) if found}
        if redacted or private:
            made["_meta"] = {"redactedAttributes": sorted(redacted), "privateAttributes": sorted(private)}
    return made


def names(reference: Any) -> list[str]:
    if isinstance(reference, list):
        return reference
    try:
        return reference_names(reference)
    except hoist.Error:
        return []
