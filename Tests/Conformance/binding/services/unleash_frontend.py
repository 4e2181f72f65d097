"""Frontend mode: requests, answers, sessions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote_to_bytes

from report import Report
from vectors import Root

import hoist
from hoist import Status, unleash

from .unleash_evaluation import payload
from .unleash_service import LIMIT, Answer, Fetches, Script, open_client, query

URL = "http://unleash.test/api/frontend"


NO_VARIANT = {"name": "disabled", "enabled": False, "featureEnabled": False}
"""What the API shows where the service sent no variant."""


def frontend_decode(root: Root, report: Report) -> None:
    for case in root["cases"]:
        body, wanted = case["body"].encode("utf-8", "surrogatepass"), case["expect"]
        try:
            toggles = unleash.Bootstrap.from_json(body)
        except hoist.Error:
            report.check(case["id"], wanted, {"ok": False})
            continue
        with open_client(Script(), toggles, mode="frontend", online=False) as client:
            read = [toggle(client, info.name) for info in client.list_toggles()]
        shown = [{"variant": NO_VARIANT, **toggle} for toggle in wanted.get("toggles", [])]
        report.check(case["id"], {**wanted, "toggles": by_name(shown)}, {"ok": True, "toggles": by_name(read)})


def by_name(toggles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(toggles, key=lambda toggle: toggle["name"].encode("utf-8", "surrogatepass"))


def toggle(client: unleash.Client, name: str) -> dict[str, Any]:
    return {"name": name, "enabled": client.check_enabled(name), "variant": sent(client.check_variant(name)),
            "impressionData": client.evaluate(name).metadata.get("impressionData", False)}


def sent(variant: unleash.Variant) -> dict[str, Any]:
    """A variant with what the service sent of it."""
    told = {"name": variant.name, "enabled": variant.enabled, **payload(variant)}
    return told if variant.feature_enabled is None else {**told, "featureEnabled": variant.feature_enabled}


def frontend_url(root: Root, report: Report) -> None:
    """A context of the vectors may lack what a client always has: those pairs are not compared."""
    for case in root["cases"]:
        fields = dict(case["context"])
        always = tuple(f"{name}=" for name in ("appName", "environment", "sessionId") if name not in fields)
        script = Script()
        with open_client(script, url=case["unleashUrl"], key="k", properties=fields.pop("properties", {}),
                         app_name=fields.pop("appName", None), environment=fields.pop("environment", None),
                         context=fields) as client:
            client.start_soon()
            base, pairs = query(script.requests.get(timeout=LIMIT).url)
        pairs = [pair for pair in pairs if not pair.startswith(always)] if always else pairs
        wanted = {"base": case["expect"]["base"], "query": sorted(case["expect"]["query"])}
        report.check(case["id"], wanted, {"base": base, "query": pairs})


def frontend_context(root: Root, report: Report) -> None:
    """The context after opening and after each update, read from the fetches it makes, and the flat one at the end."""
    for case in root["cases"]:
        script, environment = Script(), case.get("environment")
        with open_client(script, url=URL, key="k", context=case["initial"], app_name=case.get("appName"),
                         environment=environment) as client:
            fetches = Fetches(client)
            fetches.start()
            for index, wanted in enumerate(case["expect"]["contexts"]):
                if index > 0:
                    update = case["updates"][index - 1]
                    fetches.update_context(update.get("context") or {}, update.get("properties") or {})
                made = script.made()
                actual = read_context(made[-1].url, environment) if made else None
                if actual and wanted.get("sessionId") == "<generated>" and re.fullmatch(r"\d{1,9}", actual["sessionId"]):
                    actual["sessionId"] = "<generated>"
                report.check(f"{case['id']} context {index}", wanted, actual)
            flat = client.context
            flat.pop("sessionId", None)
            wanted = case["expect"]["map"]
            if environment is None:
                flat["environment"] = wanted.get("environment")
            report.check(f"{case['id']} map", wanted, {name: value for name, value in flat.items() if value is not None})


def read_context(url: str, environment: str | None) -> dict[str, Any]:
    fields: dict[str, Any] = {"properties": {}}
    for pair in query(url)[1]:
        name, value = (unquote_to_bytes(side).decode() for side in pair.split("=", 1))
        if name.startswith("properties[") and name.endswith("]"):
            fields["properties"][name[len("properties["):-1]] = value
        elif name != "environment" or environment is not None:
            fields[name] = value
    return fields


COMPLETIONS = {
    Status.OK: "nil", Status.UNLEASH_URL: "url", Status.UNLEASH_NETWORK: "network",
    Status.UNLEASH_NO_RESPONSE: "noResponse", Status.UNLEASH_UNHANDLED_STATUS: "unhandledStatusCode",
    Status.UNLEASH_DECODING: "decoding",
}  # fmt: skip


def frontend_session(root: Root, report: Report) -> None:
    """Completions, events, requests and reads, step by step."""
    for case in root["cases"]:
        Session(case).run(report)


class Session:
    def __init__(self, case: Mapping[str, Any]) -> None:
        self.case = case
        self.script = Script(*map(answer, case["responses"]))
        provided = case.get("providerHeaders") or {}
        config = hoist.Config("unleash")
        config.set_transport(self.script)
        if provided:
            config.set_headers(lambda url: provided)
        config.update(url=URL, key="frontend-key", app_name="hoist-test", store="none", autostart=False, dispatch="manual",
                      refresh_interval=0, metrics_interval=0, context=case["context"], **{"log.level": "none"},
                      custom_headers=case.get("customHeaders") or {})
        toggles = {"toggles": case["bootstrap"]} if case.get("bootstrap") is not None else None
        self.client = unleash.Client(config, toggles=toggles)
        self.events: list[str] = []
        for name in ("ready", "update"):
            self.client.on_event(name)(lambda news, name=name: self.events.append(name))
        self.fetches = Fetches(self.client)

    def run(self, report: Report) -> None:
        with self.client:
            for number, (step, wanted) in enumerate(zip(self.case["steps"], self.case["expect"], strict=False), 1):
                place = f"{self.case['id']} step {number} {step['do']}"
                self.perform(step, wanted, place, report)
                self.client.dispatch()
                report.check(f"{place} events", wanted["events"], self.events)
                self.events.clear()
                report.check(f"{place} ready", wanted["ready"], self.client.is_ready)
                self.check_requests(wanted.get("requests", []), place, report)

    def perform(self, step: Mapping[str, Any], wanted: Mapping[str, Any], place: str, report: Report) -> None:
        client, told = self.client, step["do"]
        if told == "isEnabled":
            return report.check(f"{place} result", wanted["result"], client.is_enabled(step["name"]))
        if told == "getVariant":
            return report.check(f"{place} result", wanted["result"], sent(client.get_variant(step["name"])))
        if told == "start":
            toggles = {"toggles": step["bootstrap"]} if step.get("bootstrap") is not None else None
            status = self.fetches.start(toggles)
        elif told == "updateContext":
            status = self.fetches.update_context(step.get("context") or {}, step.get("properties") or {})
        elif self.script.answers and is_unchanged(self.script.answers[0]):
            status = self.fetches.refresh_quietly(self.script)
        else:
            status = self.fetches.refresh()
        return report.check(f"{place} completion", wanted["completion"], COMPLETIONS.get(status, status.name))

    def check_requests(self, wanted: list[Mapping[str, Any]], place: str, report: Report) -> None:
        made = self.script.made()
        report.check(f"{place} requests", len(wanted), len(made))
        for request, want in zip(made, wanted, strict=False):
            base, pairs = query(request.url)
            report.check(f"{place} request", [want["method"], want["base"], sorted(want["query"])],
                         [request.method, base, pairs])
            report.check(f"{place} headers", compared(want["headers"].items()), compared(request.headers))


LEFT_OUT = ("unleash-sdk", "unleash-connection-id", "user-agent", "cache")
"""Of the vendor's own library: its name, its connection id, a slip of its."""


def compared(headers: Any) -> dict[str, str]:
    """Names lower-cased; an empty tag may be left out."""
    sent = {name.lower(): value for name, value in headers}
    if sent.get("if-none-match") == "":
        del sent["if-none-match"]
    return {name: value for name, value in sent.items() if name not in LEFT_OUT}


def is_unchanged(answer: Answer) -> bool:
    """Whether the client announces nothing: there was nothing new, or nothing at all, in the answer."""
    status = answer.status or 0
    return status == 304 or (answer.body is None and not 400 <= status <= 598)


def answer(response: Mapping[str, Any]) -> Answer:
    if response.get("none"):
        return Answer(None)
    body = response.get("body")
    return Answer(response["status"], None if body is None else body.encode(), response.get("headers") or {})
