"""Header providers written in Python: what goes out, and what is left out."""

from __future__ import annotations

import pytest
from unleash import UnleashSimulator

import hoist


def test_fresh_headers_go_on_every_request(service: UnleashSimulator, open_client) -> None:
    """A provider supplies the token, for flags and for metrics (UNL-22, UNL-47, UNL-48; ready)."""
    urls: list[str] = []

    class Token(hoist.HeaderProvider):
        def provide(self, url: str) -> dict[str, str]:
            urls.append(url)
            return {"Authorization": service.frontend_key, "X-Request": str(len(urls))}

    client = open_client("frontend", key="stale", headers=Token())
    assert client.wait_ready(5) and client.bool("switch") and client.flush(5)
    fetch, metrics = service.requests("frontend")[0], service.requests("frontend-metrics")[0]
    assert dict(fetch.headers)["X-Request"] == "1" and dict(metrics.headers)["X-Request"] == "2"
    assert all("?" not in url for url in urls)


def test_a_function_is_a_header_provider(service: UnleashSimulator, open_client) -> None:
    client = open_client("backend", headers=lambda url: [("X-Team", "web"), ("X-Two", "2")])
    assert client.wait_ready(5)
    assert {"X-Team": "web", "X-Two": "2"}.items() <= dict(service.requests("features")[0].headers).items()


@pytest.mark.parametrize("headers", [{"X-Bad": "a\r\nX-Worse: b"}, {"a b": "c"}, 5, None])
def test_headers_that_cannot_be_sent_are_left_out(service: UnleashSimulator, open_client, headers: object) -> None:
    """G8, G11: the request goes out without."""
    client = open_client("frontend", headers=lambda url: headers)
    assert client.wait_ready(10)
    sent = dict(service.requests("frontend")[0].headers)
    assert "X-Bad" not in sent and "X-Worse" not in sent


def test_sensitive_headers_stay_the_librarys(service: UnleashSimulator, open_client) -> None:
    """(UNL-46; starting)"""
    client = open_client("frontend", headers=lambda url: {"Content-Type": "x/y", "unleash-sdk": "mine", "X-Fine": "1"})
    assert client.wait_ready(5)
    sent = dict(service.requests("frontend")[0].headers)
    assert sent["X-Fine"] == "1" and sent["Content-Type"] == "application/json" and sent["unleash-sdk"] != "mine"
