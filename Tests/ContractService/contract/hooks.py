"""Hooks that tell the harness of each stage of an evaluation, and of tracked events."""

from __future__ import annotations

import json
from typing import Any

from hoist.launchdarkly import EvaluationDetail, EvaluationSeries, Hook, TrackSeries

from .callbacks import post
from .reading import Members


class StageFailure(Exception):
    """What a hook raises where the harness wants a hook that fails."""


def hooks_of(configuration: Members) -> list[Hook]:
    """The hooks of a configuration."""
    section = configuration.object("hooks")
    return [CallbackHook(hook) for hook in section.objects("hooks")] if section else []


class CallbackHook(Hook):
    """Posts each stage to an address of the harness, and hands on the data that it wants handed on."""

    def __init__(self, configuration: Members) -> None:
        self.name = configuration.needed_text("name")
        self._url = configuration.needed_text("callbackUri")
        self._data = configuration.mapping("data")
        self._errors = configuration.mapping("errors")

    def before_evaluation(self, series: EvaluationSeries, data: dict[str, Any]) -> dict[str, Any]:
        return self._stage("beforeEvaluation", series, data)

    def after_evaluation(
        self, series: EvaluationSeries, data: dict[str, Any], detail: EvaluationDetail[Any]
    ) -> dict[str, Any]:
        return self._stage("afterEvaluation", series, data, {"evaluationDetail": detail_body(detail)})

    def after_track(self, series: TrackSeries) -> None:
        told = {
            "key": series.key,
            "context": series.context.to_dict() if series.context else None,
            "data": series.data,
            "metricValue": series.metric,
            "environmentId": series.environment_id,
        }
        self._tell("afterTrack", {"trackSeriesContext": _present(told)})

    def _stage(
        self, stage: str, series: EvaluationSeries, data: dict[str, Any], more: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        told = {
            "flagKey": series.flag_key,
            "context": json.loads(series.context_json or "null"),
            "defaultValue": series.default_value,
            "method": series.method,
            **_present({"environmentId": series.environment_id}),
        }
        self._tell(stage, {"evaluationSeriesContext": told, "evaluationSeriesData": data, **(more or {})})
        return {**data, **(self._data.get(stage) or {})}

    def _tell(self, stage: str, what: dict[str, Any]) -> None:
        if stage in self._errors:
            raise StageFailure(str(self._errors[stage]))
        post(self._url, {**what, "stage": stage})


def detail_body(detail: EvaluationDetail[Any]) -> dict[str, Any]:
    """A detail in the harness's words; what there is none of is absent."""
    return {"value": detail.value, **_present({"variationIndex": detail.variation_index, "reason": detail.reason})}


def _present(found: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if value is not None}
