"""Access tokens: who gets one, and whether one that a request bears is any good (protocol 2.10)."""

from __future__ import annotations

import base64
import binascii
import itertools
import threading

from loopback.delivery import json_response
from loopback.findings import Findings
from loopback.wire import Request, Response

from .options import Options

GRANT = b"grant_type=client_credentials"


class Tokens:
    """Thread-safe. The credentials of every site, and every token that was ever given out."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._credentials: dict[str, str] = {}
        self._given: dict[str, str] = {}
        self._valid: set[str] = set()

    # What tests do.

    def register(self, site: str, client_id: str, client_secret: str) -> None:
        """Lets a client of the site have tokens with these credentials, and no others."""
        with self._lock:
            self._credentials[site] = f"{client_id}:{client_secret}"

    def revoke(self) -> int:
        """Makes every token that was given out invalid; returns how many were still good."""
        with self._lock:
            count = len(self._valid)
            self._valid.clear()
            return count

    @property
    def given(self) -> list[str]:
        """All of them, oldest first."""
        with self._lock:
            return list(self._given)

    # What the service does.

    def answer(self, request: Request, site: str, options: Options) -> Response:
        with self._lock:
            wanted = self._credentials.get(site)
            if wanted is None or _basic(request) != wanted:
                return json_response(401, {"error": "invalid_client"})
            token = f"token-{next(self._numbers)}"
            self._given[token] = site
            self._valid.add(token)
        return json_response(200, {"access_token": token, "expires_in": options.token_seconds})

    def check(self, findings: Findings, request: Request, site: str) -> None:
        """A token must be one that was given out for the site; whether it still is good is another matter."""
        token = bearer(request)
        if token is not None:
            with self._lock:
                findings.require(self._given.get(token) == site, "header authorization",
                                 f"the token {token!r} was never given out for {site}")

    def refuses(self, request: Request, options: Options) -> bool:
        """Whether a request is to be answered with 401."""
        token = bearer(request)
        if token is None:
            return options.token_required
        with self._lock:
            return token not in self._valid and (not options.foreign_tokens or token in self._given)


def bearer(request: Request) -> str | None:
    """The token that a request bears."""
    value = request.header("authorization")
    return value.removeprefix("Bearer ") if value is not None and value.startswith("Bearer ") else None


def check_grant(findings: Findings, request: Request) -> None:
    findings.require(request.body == GRANT, "body", f"must be {GRANT.decode()}, is {request.body[:80]!r}")
    value = _basic(request)
    if value is None:
        if not any(finding.where == "header authorization" for finding in findings):
            findings.add("header authorization", "is not in base 64")
    else:
        findings.require(":" in value, "header authorization", "has no ':' between id and secret")


def _basic(request: Request) -> str | None:
    value = request.header("authorization")
    if value is None or not value.startswith("Basic "):
        return None
    try:
        return base64.b64decode(value.removeprefix("Basic "), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
