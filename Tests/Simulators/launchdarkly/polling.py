"""The answer to a poll, and its entity tag (protocol 2.3)."""

from __future__ import annotations

import gzip
import hashlib
from typing import Any

from loopback.delivery import json_response
from loopback.tags import IssuedTags
from loopback.wire import Request, Response

from .contexts import Context
from .environment import Environment
from .options import Options


def subject(environment: Environment, context: Context) -> str:
    """What a tag is about: flags of one environment for one context."""
    return f"{environment.mobile_key} {context.identity}"


def answer_poll(request: Request, environment: Environment, context: Context, with_reasons: bool, tags: IssuedTags,
                options: Options) -> Response:
    response = json_response(200, environment.flags_of(context, with_reasons))
    response.headers += _headers(options)
    if options.tags != "off":
        tag = hashlib.sha256(response.body).hexdigest()[:24]
        tag = f'"{tag}"' if options.tags == "quoted" else tag
        tags.add(tag, subject(environment, context))
        if request.header("if-none-match") == tag:
            return Response(304, headers=[("Etag", tag), *_headers(options)])
        response.headers.append(("Etag", tag))
    if options.compress and "gzip" in (request.header("accept-encoding") or ""):
        response.body = gzip.compress(response.body)
        response.headers.append(("Content-Encoding", "gzip"))
    return response


def _headers(options: Options) -> list[tuple[str, Any]]:
    return [("X-LD-EnvID", options.environment_id)] if options.environment_id else []
