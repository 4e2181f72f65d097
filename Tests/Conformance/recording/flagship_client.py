"""AB Tasty Flagship's Python SDK as a black box, with a service behind it that is not on any network."""
import io
import json
import os
import tempfile
import time
from contextlib import redirect_stdout

import requests
from flagship import Flagship
from flagship.config import Bucketing, DecisionApi
from flagship.log_manager import LogLevel
from flagship.status import Status
from flagship.tracking_manager import TrackingManagerConfig

ENVIRONMENT, API_KEY = "hoistvectorsenv00001", "vector-api-key"
FIRST_DATE = "Mon, 01 Jan 2024 00:00:00 GMT"
# The SDK keeps bucketing files in the folder that it is run in.
os.chdir(tempfile.mkdtemp())


class Service:
    """Answers the SDK's requests, and keeps them. `file` is the bucketing file, `decision` what the Decision API says."""

    def __init__(self):
        self.requests, self.file, self.decision, self.activate_status, self.date = [], {}, {}, 204, FIRST_DATE

    def answer(self, method, url, headers, body):
        path = url.removeprefix("https://")
        self.requests.append({"method": method, "url": url, "headers": {k.lower(): v for k, v in headers.items()}, "body": body})
        if path.endswith("bucketing.json"):
            known = headers.get("If-Modified-Since") == self.date
            return (304, None, {}) if known else (200, self.file, {"Last-Modified": self.date})
        if "/campaigns" in path:
            return 200, self.decision, {}
        return (self.activate_status if path.endswith("/activate") else 200), None, {}

    def bodies(self, part):
        """Of the requests whose address has a part, in order, with ages and nulls as vectors have them."""
        return [plain(request["body"]) for request in self.requests if part in request["url"]]


service = Service()


def _request(session, method, url, headers=None, json=None, **_):
    status, content, answered = service.answer(method.upper(), url, headers or {}, json)
    response = requests.Response()
    response.status_code = status
    response._content = b"" if content is None else _dump(content)
    response.headers.update(answered)
    return response


def _dump(content):
    return json.dumps(content, ensure_ascii=False).encode()


requests.sessions.Session.request = _request


def plain(value):
    """Without members that are null, ages as a placeholder."""
    if isinstance(value, dict):
        return {name: "<int ms>" if name == "qt" else plain(entry) for name, entry in value.items() if entry is not None}
    return [plain(entry) for entry in value] if isinstance(value, list) else value


def restart(bucketing=None, decision=None, keep=False, **options):
    """Starts the SDK anew: over a bucketing file, or over an answer of the Decision API. Every hit is sent at once.

    `keep` leaves what is stored, and the service as it is.
    """
    quietly(Flagship.stop)
    if not keep:
        for name in os.listdir():
            os.remove(name)
        service.__init__()
        service.file, service.decision = bucketing, decision or {"visitorId": "v", "campaigns": []}
    kind = DecisionApi if bucketing is None else Bucketing
    configuration = kind(log_level=LogLevel.NONE, tracking_manager_config=TrackingManagerConfig(max_pool_size=1), **options)
    quietly(lambda: Flagship.start(ENVIRONMENT, API_KEY, configuration))
    wait_for(lambda: Flagship.status() is Status.READY)


def wait_for(condition):
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, "the SDK does not get there"
        time.sleep(0.001)


def quietly(call):
    """The SDK prints the traces of its failures."""
    with redirect_stdout(io.StringIO()):
        return call()


def visitor(identifier, context=None, **options):
    return quietly(lambda: Flagship.new_visitor(identifier, context=context or {}, **options))


def fetched(identifier, context=None, history=None):
    """A visitor with flags. `history` is what it was assigned earlier."""
    made = visitor(identifier, context)
    made.assignations.update(history or {})
    quietly(made.fetch_flags)
    return made


def flags_of(made):
    """Every flag with its value and what is told about it."""
    flags = {}
    for key, told in made._modifications.items():
        flags[key] = {
            "value": told.value, "campaignId": told.campaign_id, "variationGroupId": told.variation_group_id,
            "variationId": told.variation_id, "isReference": told.reference, "campaignType": told.type, "slug": told.slug}
    return flags
