"""Contexts: built, converted, compared."""

from __future__ import annotations

from typing import Any

import hoist
from hoist.launchdarkly import Context, literal

from .reading import Members, Refused


def context_of(values: Members) -> Context | None:
    """The context, or the user of old, of a command or a configuration; None when there is neither."""
    for new, old in (("context", "user"), ("initialContext", "initialUser")):
        found = values.object(new) or values.object(old)
        if found is not None:
            try:
                return Context.from_dict(found.values)
            except hoist.Error as problem:
                raise Refused(f"{found.name}: {problem}") from None
    return None


def needed_context(parameters: Members) -> Context:
    """The context of a command that has one."""
    context = context_of(parameters)
    if context is None:
        raise Refused(f"{parameters.name} has neither context nor user")
    return context


def built(parameters: Members) -> dict[str, str]:
    """The answer to `contextBuild`."""
    multi = parameters.objects("multi")
    single = parameters.object("single")
    if single is None and "multi" not in parameters:
        raise Refused("contextBuild has neither single nor multi")
    try:
        context = _build(single) if single is not None else Context.multi(*(_build(part) for part in multi))
    except hoist.Error as problem:
        return {"error": str(problem)}
    return {"output": context.to_json()}


def converted(parameters: Members) -> dict[str, str]:
    """The answer to `contextConvert`."""
    try:
        context = Context.from_json(parameters.needed_text("input"))
    except hoist.Error as problem:
        return {"error": str(problem)}
    # As the vendor's tests want it, where Hoist has the client make it.
    if None in context.keys.values():
        return {"error": "a context has no key"}
    return {"output": context.to_json()}


def compared(parameters: Members) -> dict[str, bool]:
    """The answer to `contextComparison`."""
    first, second = (_compared(parameters.needed_object(name)) for name in ("context1", "context2"))
    return {"equals": first == second}


def _build(part: Members) -> Context:
    return Context(
        part.needed_text("key"),
        kind=part.text("kind") or "user",
        name=part.text("name"),
        anonymous=part.boolean("anonymous"),
        attributes=part.mapping("custom"),
        private=part.texts("private"),
    )


def _compared(whole: Members) -> Context:
    try:
        single = whole.object("single")
        if single is not None:
            return _part(single)
        return Context.multi(*(_part(part) for part in whole.objects("multi")))
    except hoist.Error as problem:
        raise Refused(f"{whole.name}: {problem}") from None


def _part(part: Members) -> Context:
    attributes: dict[str, Any] = {each.needed_text("name"): each.any("value") for each in part.objects("attributes")}
    private = [
        literal(each.needed_text("value")) if each.boolean("literal") else each.needed_text("value")
        for each in part.objects("privateAttributes")
    ]
    return Context(part.needed_text("key"), kind=part.text("kind") or "user", attributes=attributes, private=private)
