"""Datafiles: what a request must be, and the answer (protocol 3.1)."""

from __future__ import annotations

import gzip

from loopback.delivery import json_response
from loopback.findings import Findings
from loopback.wire import Request, Response

from .datafiles import Datafiles
from .options import Options
from .routes import Endpoint, path_parameter


def check_datafile(findings: Findings, request: Request, endpoint: Endpoint, datafiles: Datafiles,
                   options: Options) -> None:
    """No query, and no date but one that came with a datafile of this key, byte for byte."""
    date = request.header("if-modified-since")
    if date is None or findings or options.foreign_dates:
        return
    key = path_parameter(endpoint, request)
    findings.require(datafiles.issued(key, date), "header if-modified-since", f"{date!r} was never sent for {key}")


def answer_datafile(request: Request, endpoint: Endpoint, datafiles: Datafiles, options: Options) -> Response:
    key = path_parameter(endpoint, request)
    secured = endpoint.credential is not None
    published = datafiles.current(key)
    if published is None or secured != (published.token is not None):
        return json_response(options.unknown_key_status, {"message": f"there is no datafile for {key}"})
    if secured and request.header("authorization") != f"Bearer {published.token}":
        return json_response(401, {"message": "the token is not that of this environment"})
    headers = [("Last-Modified", published.last_modified)] if options.last_modified else []
    if options.last_modified and request.header("if-modified-since") == published.last_modified:
        return Response(304, headers=headers)
    response = Response(200, published.body, [("Content-Type", "application/json"), *headers])
    if options.compress and "gzip" in (request.header("accept-encoding") or ""):
        response.body = gzip.compress(response.body, mtime=0)
        response.headers.append(("Content-Encoding", "gzip"))
    return response
