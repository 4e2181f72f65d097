"""What must hold of a day. Each check gives its flaws; none is good."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

from account import HOUR, Day

READY = 1
# Not what took too long, such as the store's failures: by this clock a disk is two hundred times as slow.
LOSSES = ("dropped", "rejected", "expired", "purged", "impact_dropped", "unknown_overflow", "summary_overflow", "dropped_visitors",
          "ignored", "counts_lost", "too_costly")
# How much more than in the second quarter of the day is still the same.
TOLERANCE = {"resident_kib": 1536, "heap_kib": 256, "descriptors": 1, "threads": 1}


def ends_well(day: Day) -> Iterator[str]:
    if day.status is None:
        yield "it hung"
    elif day.status != 0:
        yield f"it ended with {day.status}"
    elif not day.told("flushed"):
        yield f"not all was accepted at the end: {[sample['when'] for sample in day.samples[-3:]]}"


def is_ready_at_the_end(day: Day) -> Iterator[str]:
    for sample in day.told("evaluated"):
        flushed = day.told("flushed")[0] if day.told("flushed") else sample
        if sample["state"] != READY:
            yield f"its state is {sample['state']}"
        if sample["served"] - flushed["served"] != sample["evaluations"] - flushed["evaluations"]:
            yield "it serves no flags"


def loses_nothing(day: Day) -> Iterator[str]:
    for name, count in day.said["recorded"].items():
        if day.arrived[name] < count:
            yield f"of {name} {day.arrived[name]} came, and {count} were recorded"


def tells_nothing_twice(day: Day) -> Iterator[str]:
    """But where the service could not say that it has it."""
    for name, count in day.arrived.items():
        most = day.said["recorded"][name] + day.said["unsaved"][name]
        if count - day.unheard[name] > most:
            yield f"of {name} {count} came, {day.unheard[name]} of them unheard, and {most} were recorded"


def drops_nothing(day: Day) -> Iterator[str]:
    for sample in day.samples:
        for group, counters in sample["statistics"].items():
            yield from (f"{group}.{name} is {counters[name]} after {sample['minute']} minutes" for name in LOSSES
                        if counters.get(name))


def asks_in_each_hour(day: Day) -> Iterator[str]:
    before = 0
    samples = day.told("running")
    for hour in range(day.hours):
        of_it = [sample for sample in samples if sample["minute"] // HOUR == hour]
        asked = of_it[-1]["fetches"] if of_it else before
        if asked <= before and not any(sample["streams"] for sample in of_it):
            yield f"no request and no stream in hour {hour + 1}"
        before = asked


def asks_rightly(day: Day) -> Iterator[str]:
    yield from day.complaints


def _stays(what: str) -> Callable[[Day], Iterator[str]]:
    def check(day: Day) -> Iterator[str]:
        second, last = (median(values) for values in quarters(day, what))
        if last > second + TOLERANCE[what]:
            yield f"{what} grew from {second} in the second quarter of the day to {last} in the last"
    return check


def quarters(day: Day, what: str) -> tuple[list[Any], list[Any]]:
    """Of the second quarter and of the last; of a day that did not come so far, one nought each."""
    values = [sample[what] for sample in day.told("running")]
    quarter = len(values) // 4
    return values[quarter:2 * quarter] or [0], values[3 * quarter:] or [0]


CHECKS: dict[str, Callable[[Day], Iterator[str]]] = {
    "ends well": ends_well, "is ready at the end": is_ready_at_the_end, "loses nothing": loses_nothing,
    "tells nothing twice": tells_nothing_twice, "drops nothing": drops_nothing, "asks in each hour": asks_in_each_hour,
    "asks rightly": asks_rightly, "memory": _stays("resident_kib"), "heap": _stays("heap_kib"),
    "descriptors": _stays("descriptors"), "threads": _stays("threads")}


def row(day: Day) -> str:
    counts = {what: numbers.total() for what, numbers in day.said.items()}
    found = [f"{day.requests} requests", f"{counts['recorded']} events recorded", f"{counts['unsaved']} unsaved",
             f"{counts['refused']} refused", f"{day.arrived.total()} arrived ({day.unheard.total()} of them unheard)",
             f"{day.samples[-1]['evaluations'] if day.samples else 0} evaluations"]
    for sample in day.told("running"):
        if sample["minute"] in (4 * HOUR - 1, day.hours * HOUR - 1):
            found.append(f"hour {sample['minute'] // HOUR + 1}: {sample['resident_kib']} KiB with {sample['heap_kib']} in use, "
                         f"{sample['descriptors']} descriptors, {sample['threads']} threads")
    return f"{day.name}: {', '.join(found)}"
