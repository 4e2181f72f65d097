"""Contexts and flags of the server side's tests."""

from __future__ import annotations

from typing import Any

NOT_FOUND = {"kind": "ERROR", "errorKind": "FLAG_NOT_FOUND"}


def user(key: str, **more: Any) -> dict[str, Any]:
    return {"kind": "user", "key": key, **more}


ANNA, BOB, CARL = user("anna", plan="pro"), user("bob", plan="free"), user("carl")


def flag(**more: Any) -> dict[str, Any]:
    """A flag that is "a" for everyone, with members as the harness writes them; None leaves one out."""
    return {key: value for key, value in {
        "version": 1, "on": True, "variations": ["a", "b"], "offVariation": 1, "fallthrough": {"variation": 0}, "salt": "s",
        "rules": [], "targets": [], "prerequisites": [], "trackEvents": False, **more}.items() if value is not None}  # fmt: skip
