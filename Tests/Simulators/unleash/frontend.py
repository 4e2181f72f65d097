"""What the frontend endpoints say: the server's form and Edge's (protocol B.4, B.7)."""

from __future__ import annotations

import secrets
from typing import Any

from loopback.delivery import json_response
from loopback.wire import Request, Response

from .conditional import edge_conditional, server_conditional
from .context import Context
from .evaluate import Evaluation, Evaluator
from .options import EDGE, Options
from .query import read_context
from .routes import feature_name
from .state import FeatureState


def answer_frontend(endpoint: str, request: Request, state: FeatureState, options: Options) -> Response:
    """The flags for the context that was sent."""
    evaluator, context = state.evaluator(), completed(read_context(request), request)
    edge = options.flavour == EDGE
    if endpoint == "frontend-feature":
        name = feature_name(request)
        evaluation = evaluator.evaluate(name, context)
        if not evaluation.found:
            return json_response(404, {"explanation": f"Could not find feature {name}"})
        response = json_response(200, edge_toggle(name, evaluation))
    else:
        response = json_response(200, {"toggles": _toggles(evaluator, context, edge, endpoint == "frontend-all")})
    return edge_conditional(request, response) if edge else server_conditional(request, response)


def completed(context: Context, request: Request) -> Context:
    """The context as the service sees it: no empty values, peer address and a session where missing."""
    seen = context.without_empty()
    seen.fields.setdefault("remoteAddress", request.peer[0])
    seen.fields.setdefault("sessionId", secrets.token_hex(4))
    return seen


def server_toggle(name: str, evaluation: Evaluation) -> dict[str, Any]:
    variant = dict(evaluation.variant)
    variant["featureEnabled"] = variant["feature_enabled"]
    return {"name": name, "enabled": evaluation.enabled, "variant": variant,
            "impressionData": evaluation.impression_data}


def edge_toggle(name: str, evaluation: Evaluation) -> dict[str, Any]:
    variant = {"name": evaluation.variant["name"], "enabled": evaluation.variant["enabled"],
               "payload": evaluation.variant.get("payload")}
    return {"name": name, "enabled": evaluation.enabled, "variant": variant,
            "impressionData": evaluation.impression_data, "impression_data": evaluation.impression_data}


def _toggles(evaluator: Evaluator, context: Context, edge: bool, all_of_them: bool) -> list[dict[str, Any]]:
    names = evaluator.names if edge else evaluator.names_in_order
    found = ((name, evaluator.evaluate(name, context)) for name in names)
    form = edge_toggle if edge else server_toggle
    return [form(name, evaluation) for name, evaluation in found if evaluation.enabled or all_of_them]
