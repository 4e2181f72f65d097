"""Kameleoon's Python SDK as a black box, with a service behind it that is not on any network, and a clock that stands still."""
import copy
import logging
import time

from kameleoon import KameleoonClient, KameleoonClientConfig, data
from kameleoon.exceptions import KameleoonError
from kameleoon.helpers.scheduler import Scheduler
from kameleoon.network.net_provider import Response
from kameleoon.network.net_provider_impl import NetProviderImpl
from kameleoon.sdk_version import SdkVersion

logging.disable(logging.CRITICAL)
START_MS = 1_767_265_200_000  # 2026-01-01T11:00:00Z
SITE = "a8st4f59bj"
# Vectors say what the SDK of the service's mobile kits does with the same data.
SdkVersion.NAME, SdkVersion.VERSION = "SWIFT", "4.25.0"
Scheduler.schedule_job = lambda *_: None  # the interval elapses when a step says so
time.time_ns = lambda: clock.now_ms * 1_000_000


class Clock:
    now_ms = START_MS


class Service:
    """Answers the SDK's requests, and keeps those that track."""

    def __init__(self):
        self.configuration, self.lines, self.statuses = {}, [], []

    async def answer(self, request):
        if "oauth" in request.url:
            return Response(None, 500, None, {})
        if "/visit/events" not in request.url:
            return Response(None, 200, self.configuration, {})
        self.lines.append(request)
        return Response(None, 200, None, {})


clock, service = Clock(), Service()


async def _answer(_, request):
    return await service.answer(request)


NetProviderImpl.run_request = _answer


def client(configuration, visitors):
    """Of a new site. Every visitor exists, empty."""
    clock.now_ms = START_MS
    service.__init__()
    service.configuration = copy.deepcopy(configuration)  # the SDK takes conditions out of what it reads
    made = KameleoonClient(SITE, KameleoonClientConfig("id", "secret"))
    assert made.wait_init(10_000)
    for code in visitors:
        made._visitor_manager.get_or_create_visitor(code)
    return made


def datum(told):
    """An object of the SDK's for one of the vectors'."""
    kind, rest = told["type"], {name: value for name, value in told.items() if name != "type"}
    if kind == "CustomData":
        return data.CustomData(rest.get("index", rest.get("name")), *rest["values"], overwrite=rest.get("overwrite", True))
    if kind == "Conversion":
        return data.Conversion(
            rest["goalId"], rest.get("revenue", 0.0), rest.get("negative", False), [datum(one) for one in rest.get("metadata", [])])
    if kind == "Device":
        return data.Device(data.DeviceType[rest["device"]])
    if kind == "Browser":
        return data.Browser(data.BrowserType[rest["browser"]], rest.get("version"))
    if kind == "OperatingSystem":
        return data.OperatingSystem(data.OperatingSystemType[rest["os"]])
    if kind == "Geolocation":
        names = {"postalCode": "postal_code"}
        return data.Geolocation(**{names.get(name, name): value for name, value in rest.items()})
    if kind == "PageView":
        return data.PageView(rest["url"], rest.get("title"), rest.get("referrers"))
    if kind == "UserAgent":
        return data.UserAgent(rest["value"])
    if kind == "Cookie":
        return data.Cookie(rest["cookies"])
    if kind == "ApplicationVersion":
        return data.ApplicationVersion(rest["version"])
    return data.UniqueIdentifier(rest["value"])


def play(configuration, steps):
    """Fills in what the SDK answers to each step."""
    made = client(configuration, {step["visitorCode"] for step in steps if "visitorCode" in step})
    nonces = {}
    for step in steps:
        try:
            answered = CALLS[step["op"]](made, step)
        except KameleoonError as error:
            answered = {"error": type(error).__name__}
        if step["op"] in ("flush", "tick"):
            answered = {"requests": [_request(one, nonces) for one in _sent(made)]}
        if answered is not None:
            step["expect"] = answered
    return steps


def _sent(made):
    """The SDK sends from a loop of its own: what it has been given before is done when this is."""
    loop = made._async_executor.thread_event_loop
    for _ in range(3):
        loop.run_coro(_nothing()).result(10)
    sent, service.lines = service.lines, []
    return sent


async def _nothing():
    pass


def _request(request, nonces):
    lines = []
    for line in request.body.split("\n"):
        nonce = line.removeprefix("nonce=").split("&", 1)[0]
        label = nonces.setdefault(nonce, "{N%d}" % (len(nonces) + 1))
        lines.append(line.replace(nonce, label, 1))
    url = request.url.replace("sdkName=SWIFT", "sdkName={SDK_NAME}").replace("sdkVersion=4.25.0", "sdkVersion={SDK_VERSION}")
    return {"method": request.method.value, "url": url, "headers": {"Content-Type": "*/*"}, "lines": lines}


def _variation(got):
    variables = {key: {"type": one.type, "value": one.value} for key, one in got.variables.items()}
    return {"key": got.key, "name": got.name, "id": got.id_, "experimentId": got.experiment_id, "variables": variables}


def _ids(made, step):
    got = made.get_variations(step["visitorCode"], step.get("onlyActive", False), step.get("track", True))
    return {"variations": {key: [one.key, one.id_, one.experiment_id] for key, one in got.items()}}


def _consent(made, step):
    made.set_legal_consent(step["visitorCode"], step["consent"])


def _forced(made, step):
    try:
        made.set_forced_variation(step["visitorCode"], step["experimentId"], step["variationKey"], step.get("forceTargeting", True))
    except KameleoonError as error:
        return {"error": type(error).__name__}
    return None


def _clock(_, step):
    clock.now_ms = step["nowMs"]


def _add(made, step):
    made.add_data(step["visitorCode"], *map(datum, step["data"]), track=step.get("track", True))


def _convert(made, step):
    made.track_conversion(
        step["visitorCode"], step["goalId"], step.get("revenue", 0.0), negative=step.get("negative", False),
        metadata=[datum(one) for one in step.get("metadata", [])])


CALLS = {
    "clock": _clock, "addData": _add, "trackConversion": _convert, "setLegalConsent": _consent, "setForcedVariation": _forced,
    "getVariationIds": _ids,
    "getVariation": lambda made, step: {
        "variation": _variation(made.get_variation(step["visitorCode"], step["featureKey"], step.get("track", True)))},
    "isFeatureActive": lambda made, step: {
        "active": made.is_feature_active(step["visitorCode"], step["featureKey"], track=step.get("track", True))},
    "evaluateAudiences": lambda made, step: made.evaluate_audiences(step["visitorCode"]),
    "flush": lambda made, step: made.flush(step["visitorCode"], instant=True),
    "tick": lambda made, step: made._tracking_manager.track_all(),
}
