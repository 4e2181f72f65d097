"""The answer to a poll, and its entity tag (protocol 2.3)."""

from __future__ import annotations

import gzip
import hashlib
from typing import Any

from loopback.delivery import json_response
from loopback.tags import IssuedTags
from loopback.wire import Request, Response

from .options import ServiceOptions


def answer_poll(request: Request, document: dict[str, Any], subject: str, tags: IssuedTags,
                options: ServiceOptions) -> Response:
    """`subject` is what a tag is about: whose flags these are."""
    response = json_response(200, document)
    response.headers += _headers(options)
    if options.tags != "off":
        tag = hashlib.sha256(response.body).hexdigest()[:24]
        tag = f'"{tag}"' if options.tags == "quoted" else tag
        tags.add(tag, subject)
        if request.header("if-none-match") == tag:
            return Response(304, headers=[("Etag", tag), *_headers(options)])
        response.headers.append(("Etag", tag))
    if options.compress and "gzip" in (request.header("accept-encoding") or ""):
        response.body = gzip.compress(response.body)
        response.headers.append(("Content-Encoding", "gzip"))
    return response


def _headers(options: ServiceOptions) -> list[tuple[str, Any]]:
    return [("X-LD-EnvID", options.environment_id)] if options.environment_id else []
