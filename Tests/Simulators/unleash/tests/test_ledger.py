"""The ledger adds up what was accepted, and only that."""

from __future__ import annotations

import json
import threading

from loopback.calls import control

from unleash import UnleashSimulator

from .support import CONNECTION, OTHER_CONNECTION, frontend_metrics, metrics


def post(simulator: UnleashSimulator, toggles: dict, connection: str = CONNECTION) -> int:
    call = frontend_metrics(simulator).with_header("unleash-connection-id", connection)
    call.document["connectionId"] = connection
    call.document["bucket"]["toggles"] = toggles
    return call.send(simulator).status


def counts(yes: int, no: int, **variants: int) -> dict:
    return {"yes": yes, "no": no, "variants": variants}


def test_sums_per_flag_and_per_client(simulator: UnleashSimulator) -> None:
    assert post(simulator, {"a": counts(1, 2, red=1), "ü": counts(0, 1)}) == 200
    assert post(simulator, {"a": counts(10, 0, red=2, blue=3)}) == 200
    assert post(simulator, {"a": counts(100, 0)}, OTHER_CONNECTION) == 200
    assert simulator.ledger.totals() == {"a": counts(111, 2, red=3, blue=3), "ü": counts(0, 1)}
    assert simulator.ledger.by_client()[OTHER_CONNECTION] == {"a": counts(100, 0)}
    status, ledger = control(simulator, "GET", "/ledger")
    assert (status, ledger["posts"], ledger["totals"]) == (200, 3, simulator.ledger.totals())
    assert ledger["byClient"] == simulator.ledger.by_client() and ledger["unacknowledged"] == {}


def test_refused_posts_do_not_count(simulator: UnleashSimulator) -> None:
    simulator.fail("frontend-metrics", "status", status=500)
    assert post(simulator, {"a": counts(1, 0)}) == 500
    assert post(simulator, {"a": counts(-1, 0)}) == 422
    simulator.options.change(metrics_enabled=False)
    assert post(simulator, {"a": counts(1, 0)}) == 204
    assert simulator.ledger.posts == []


def test_unreadable_answers_count_but_are_not_acknowledged(simulator: UnleashSimulator) -> None:
    simulator.fail("frontend-metrics", "truncate", keep=0)
    try:
        post(simulator, {"a": counts(1, 0)})
    except Exception:
        pass
    assert post(simulator, {"a": counts(2, 0)}) == 200
    assert simulator.ledger.totals() == {"a": counts(3, 0)}
    assert simulator.ledger.totals(acknowledged=False) == {"a": counts(1, 0)}


def test_impact_metrics_add_up(simulator: UnleashSimulator) -> None:
    for _ in range(2):
        assert metrics(simulator).send(simulator).status == 202
    labels = json.dumps({"appName": "shop", "environment": "development"}, sort_keys=True)
    assert simulator.ledger.impact() == {
        "purchases": {labels: 4}, "load": {labels: 0.5},
        "time": {labels: {"count": 6, "sum": 3.0, "buckets": {"0.5": 4, "1": 4, "+Inf": 6}}}}


def test_nothing_is_lost_under_load(simulator: UnleashSimulator) -> None:
    def work() -> None:
        for _ in range(25):
            assert post(simulator, {"a": counts(1, 1, red=1)}) == 200

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert simulator.ledger.totals() == {"a": counts(200, 200, red=200)}
    assert simulator.violations == []


def test_waiting_for_posts(simulator: UnleashSimulator) -> None:
    waited: list[bool] = []
    thread = threading.Thread(target=lambda: waited.append(simulator.wait_for_posts(2)))
    thread.start()
    for _ in range(2):
        assert post(simulator, {"a": counts(1, 0)}) == 200
    thread.join(5)
    assert waited == [True]
    assert not simulator.wait_for_posts(3, timeout=0.01)
