"""Who told the service what."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from unleash import UnleashSimulator


def canonical(document: Any) -> str:
    return json.dumps(document, sort_keys=True)


class Sent:
    """By name: the posts that told of an event, and of an evaluation; every evaluation of a host has a name too."""

    def __init__(self) -> None:
        self.events: dict[str, list[int]] = {}
        self.evaluations: dict[str, list[int]] = {}
        self.buckets: Counter[str] = Counter()
        self._senders: list[str] = []

    @classmethod
    def to(cls, service: UnleashSimulator, forks: str) -> Sent:
        """When the service has read what killed processes left behind in their connections.

        forks: the name of the host that forks, if any; it is the first to come then."""
        assert service.wait_for_silence()
        parent = next((request.client for request in service.requests()), None)
        sent = cls()
        for number, post in enumerate(service.ledger.posts):
            # Hosts are told apart by their instance ids, a forked child from its parent by its connection id.
            instance, connection = post.body["instanceId"], post.body["connectionId"]
            is_child = instance == forks and connection != parent
            sent._senders.append(f"child of {instance}" if is_child else instance)
            sent._add(number, post.body)
        return sent

    def event_counts(self) -> Counter[str]:
        return Counter({name: len(posts) for name, posts in self.events.items()})

    def sent_by_two(self, victim: str) -> list[str]:
        """What was sent twice, but for the one post that the victim had on its way when it died: the service may
        have taken it, and the victim not have learned of that."""
        found: list[str] = []
        for told in (self.events, self.evaluations):
            twice = {name: posts for name, posts in told.items() if len(posts) > 1}
            on_its_way = max((posts[0] for posts in twice.values()), default=-1)
            found += [name for name, posts in twice.items()
                      if len(posts) > 2 or posts[0] != on_its_way or self._senders[on_its_way] != victim]
        return found

    def _add(self, number: int, body: dict[str, Any]) -> None:
        for metric in body.get("impactMetrics") or []:
            for sample in metric["samples"]:
                self.events.setdefault(sample["labels"]["event"], []).extend([number] * sample["value"])
        if body["bucket"] is not None:
            self.buckets[canonical(body)] += 1
            for name, counts in body["bucket"]["toggles"].items():
                self.evaluations.setdefault(name, []).extend([number] * counts["no"])
