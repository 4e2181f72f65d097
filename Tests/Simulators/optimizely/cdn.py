"""Datafiles: what a request must be, and the answer (protocol 3.1)."""

from __future__ import annotations

from loopback.delivery import json_response
from loopback.findings import Findings
from loopback.publications import answer_published
from loopback.wire import Request, Response

from .datafiles import Datafiles
from .options import Options
from .routes import Endpoint, path_parameter


def check_datafile(findings: Findings, request: Request, endpoint: Endpoint, datafiles: Datafiles,
                   options: Options) -> None:
    """No query, and no date but one that came with a datafile of this key, byte for byte."""
    if not findings and not options.foreign_dates:
        datafiles.check_date(findings, request, path_parameter(endpoint, request))


def answer_datafile(request: Request, endpoint: Endpoint, datafiles: Datafiles, options: Options) -> Response:
    key = path_parameter(endpoint, request)
    secured = endpoint.credential is not None
    published = datafiles.current(key)
    if published is None or secured != (published.token is not None):
        return json_response(options.unknown_key_status, {"message": f"there is no datafile for {key}"})
    if secured and request.header("authorization") != f"Bearer {published.token}":
        return json_response(401, {"message": "the token is not that of this environment"})
    return answer_published(request, published, options.last_modified, options.compress)
