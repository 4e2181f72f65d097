"""The pictures and figures of the page about fleets, from a stored run of Tests/Fleet/simulate --store."""

from __future__ import annotations

import json
import math
from html import escape
from pathlib import Path

from pictures import svg

STORED = Path(__file__).with_name("fleet.json")
COLOURS = ("#2563eb", "#d97706", "#6b7280", "#059669", "#dc2626", "#7c3aed", "#0891b2")
STEADY, DEPLOYMENT, SHORT, LONG = "steady", "deployment", "service away for 20 s", "service away for 600 s"


class Run:
    """The rows of a run, by what they are of."""

    def __init__(self) -> None:
        self.stored = json.loads(STORED.read_text())
        self.rows = {tuple(row[name] for name in ("arrangement", "setup", "processes", "scenario", "target", "what")): row
                     for row in self.stored["records"]}
        self.setups = list(dict.fromkeys(row["setup"] for row in self.stored["records"]))
        self.sizes = sorted({row["processes"] for row in self.stored["records"]})

    def row(self, arrangement: str, setup: str, processes: int, scenario: str, what: str, target: str = "service") -> dict:
        return self.rows[arrangement, setup, processes, scenario, target, what]


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def table(run: Run, processes: int = 1_000) -> str:
    """What a service sees of so many processes that fetch for themselves."""
    lines = ["| set-up | fetches | deliveries | busiest second of a deployment | around 20 s away | around 10 min away |",
             "|---|---|---|---|---|---|"]
    for setup in run.setups:
        def both(scenario: str, of: str, setup: str = setup) -> list[float]:
            return [run.row("alone", setup, processes, scenario, what)[of] for what in ("flags", "events")]

        steady = both(STEADY, "per_second")
        peaks = [number(sum(both(scenario, "peak_per_second"))) for scenario in (DEPLOYMENT, SHORT, LONG)]
        lines.append(f"| {setup} | {number(steady[0])} | {number(steady[1])} | " + " | ".join(peaks) + " |")
    return "\n".join(lines) + "\n"


def draw_growth(title: str, unit: str, lines: dict[str, list[tuple[int, float]]]) -> str:
    """Both axes by powers of ten."""
    sizes = sorted({size for points in lines.values() for size, _ in points})
    values = [value for points in lines.values() for _, value in points if value > 0]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    last = math.log10(sizes[-1])

    def x(size: int) -> float:
        return 85 + 405 * math.log10(size) / last

    def y(value: float) -> float:
        return 230 - 200 * (math.log10(value) - low) / max(high - low, 1)

    body = []
    for power in range(low, high + 1):
        label = f"{10 ** power:,}" if power >= 0 else f"{10.0 ** power:g}"
        body.append(f'<line x1="85" y1="{y(10.0 ** power):.1f}" x2="490" y2="{y(10.0 ** power):.1f}" stroke="#ddd"/>'
                    f'<text x="77" y="{y(10.0 ** power) + 4:.1f}" text-anchor="end">{label}</text>')
    body += [f'<text x="{x(size):.1f}" y="252" text-anchor="middle">{size:,}</text>' for size in sizes]
    body.append(f'<text x="280" y="274" text-anchor="middle">processes; {escape(unit)}</text>')
    for row, ((name, points), colour) in enumerate(zip(lines.items(), COLOURS)):
        path = " ".join(f"{x(size):.1f},{y(value):.1f}" for size, value in points if value > 0)
        body.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.5"/>'
                    f'<text x="505" y="{34 + 20 * row}" fill="{colour}">{escape(name)}</text>')
    return svg(740, 284, title, body)


def draw_seconds(title: str, unit: str, lines: dict[str, list[int]], until: int) -> str:
    """What comes in each second of three minutes; grey while the service is away."""
    lines = {name: values[:180] for name, values in lines.items()}
    length, most = max(map(len, lines.values())), max(max(values) for values in lines.values())

    def x(second: float) -> float:
        return 85 + 405 * second / length

    body = [f'<rect x="{x(10):.1f}" y="30" width="{x(until) - x(10):.1f}" height="200" fill="#eee"/>',
            '<text x="77" y="234" text-anchor="end">0</text>', f'<text x="77" y="38" text-anchor="end">{most:,}</text>',
            '<line x1="85" y1="230" x2="490" y2="230" stroke="#999"/>']
    for second in range(0, length + 1, 60):
        body.append(f'<text x="{x(second):.1f}" y="252" text-anchor="middle">{second}</text>')
    body.append(f'<text x="280" y="274" text-anchor="middle">seconds; {escape(unit)}</text>')
    for row, ((name, values), colour) in enumerate(zip(lines.items(), COLOURS)):
        path = " ".join(f"{x(second):.1f},{230 - 200 * value / most:.1f}" for second, value in enumerate(values))
        body.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
                    f'<text x="505" y="{44 + 20 * row}" fill="{colour}">{escape(name)}</text>')
    return svg(740, 284, title, body)


def files() -> dict[str, str]:
    """Files of the site by name."""
    run = Run()

    def growth(what: str, target: str, *arrangements: str) -> dict[str, list[tuple[int, float]]]:
        return {name: [(size, run.row(name, "unleash", size, STEADY, what, target)["per_second"]) for size in run.sizes]
                for name in arrangements}

    back = {setup: run.row("alone", setup, 1_000, SHORT, "flags")["seconds"]
            for setup in ("unleash", "launchdarkly, server", "flagship, bucketing")}
    redis = {"new connections": run.row("redis", "unleash", 1_000, "redis away for 20 s", "connects", "redis")["seconds"]}
    fetches = {"fetches, each for itself": growth("flags", "service", "alone")["alone"],
               "deliveries": growth("events", "service", "alone")["alone"],
               "fetches, one for all": growth("flags", "service", "leader")["leader"]}
    commands = growth("commands", "redis", "redis", "leader")
    commands = {"each fetches for itself": commands["redis"], "one fetches for all": commands["leader"]}
    return {
        "pictures/fleet-service.svg": draw_growth("What a service sees", "requests per second", fetches),
        "pictures/fleet-redis.svg": draw_growth("What Redis sees", "commands per second", commands),
        "pictures/fleet-back.svg": draw_seconds("A service away for 20 s, and 1,000 processes", "requests", back, 30),
        "pictures/fleet-redis-back.svg": draw_seconds("Redis away for 20 s, and 1,000 processes", "attempts", redis, 30),
        "fleet-table.txt": table(run),
    }
