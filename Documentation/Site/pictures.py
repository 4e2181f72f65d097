"""The pictures of the benchmark page, from a stored run.

    pictures.py RESULT.json     stores what the page shows of a run (Tests/Benchmarks/run --json RESULT.json)
"""

from __future__ import annotations

import json
import math
import sys
from dataclasses import dataclass
from datetime import date
from html import escape
from pathlib import Path

STORED = Path(__file__).with_name("benchmarks.json")


@dataclass(frozen=True)
class Bars:
    """One bar for each engine that answers the same question."""

    name: str
    title: str
    unit: str
    chosen: dict[str, object]
    subjects: tuple[str, ...]


ENGINES = ("Hoist", "Hoist, view", "C look-up, counted", "C rule", "yggdrasil flat, counted", "yggdrasil JSON, counted",
           "flipt JSON")
BARS = (
    Bars("bool", "A bool flag of 1,000, counted, from C", "ns", {"workload": "W1", "size": 1000, "threads": 1}, ENGINES),
    Bars("rule", "A rule: three conditions and a hash, from C", "ns", {"workload": "W2", "size": 1000, "threads": 1}, ENGINES),
    Bars("python", "A bool flag, from Python through ctypes", "µs", {"workload": "W9", "kind": "bool"},
         ("ctypes, empty call", "Hoist", "growthbook", "flipt-client", "yggdrasil-engine", "UnleashClient")),
    Bars("optimizely", "Optimizely: one decision with its variables", "µs", {"workload": "W13", "case": "decide", "size": 1000},
         ("Hoist, C", "Hoist, ctypes", "optimizely-sdk")),
    Bars("launchdarkly", "LaunchDarkly: a bool variation, from Python", "µs", {"workload": "W16", "kind": "bool"},
         ("ctypes, empty call", "Hoist", "launchdarkly")),
    Bars("flagship", "Flagship: fetch 1,000 flags of a visitor, bucketing mode", "µs",
         {"workload": "W18", "case": "fetched again", "size": 1000}, ("Hoist, C", "Hoist, Python", "flagship, Python")),
    Bars("kameleoon", "Kameleoon: the variation of a flag of 1,000", "µs",
         {"workload": "W21", "case": "untracked", "size": 1000}, ("C, SHA-256 twice", "Hoist, C", "Hoist, ctypes", "kameleoon, Python")),
)
# The engines of the picture of cost over flags.
GROWING = ("Hoist", "yggdrasil flat, counted", "flipt JSON")
COLOURS = ("#2563eb", "#d97706", "#6b7280")


def fits(record: dict, chosen: dict[str, object]) -> bool:
    return all(record.get(name) == value for name, value in chosen.items())


def figures(records: list[dict], bars: Bars) -> list[tuple[str, float]]:
    medians = {record["subject"]: record["median"] for record in records if fits(record, bars.chosen)}
    wanted = [subject for subject in bars.subjects if subject in medians]
    # A peer whose name the picture does not know is shown, too.
    wanted += [subject for subject in medians if subject not in bars.subjects and bars.chosen["workload"] not in ("W1", "W2")]
    return [(subject, medians[subject]) for subject in wanted]


def growth(records: list[dict], workload: str) -> dict[str, list[tuple[int, float]]]:
    return {subject: sorted((record["size"], record["median"]) for record in records
                            if fits(record, {"workload": workload, "threads": 1, "subject": subject})) for subject in GROWING}


def shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def svg(width: int, height: int, title: str, body: list[str]) -> str:
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
            f'font-family="sans-serif" font-size="13"><title>{escape(title)}</title>'
            f'<rect width="{width}" height="{height}" fill="#fff"/>' + "".join(body) + "</svg>\n")


def draw_bars(bars: Bars, values: list[tuple[str, float]]) -> str:
    highest, body = max(value for _, value in values), []
    for row, (subject, value) in enumerate(values):
        top, length = 12 + 28 * row, 440 * value / highest
        colour = COLOURS[0] if subject.startswith("Hoist") else COLOURS[2]
        body.append(f'<text x="190" y="{top + 15}" text-anchor="end">{escape(subject)}</text>'
                    f'<rect x="200" y="{top}" width="{max(length, 1):.1f}" height="20" fill="{colour}"/>'
                    f'<text x="{206 + length:.1f}" y="{top + 15}">{shown(value)} {bars.unit}</text>')
    return svg(740, 24 + 28 * len(values), bars.title, body)


def draw_growth(title: str, lines: dict[str, list[tuple[int, float]]]) -> str:
    sizes = sorted({size for points in lines.values() for size, _ in points})
    values = [value for points in lines.values() for _, value in points]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    first, last = math.log10(sizes[0]), math.log10(sizes[-1])

    def place(size: int, value: float) -> str:
        return (f"{85 + 405 * (math.log10(size) - first) / max(last - first, 1e-9):.1f},"
                f"{230 - 200 * (math.log10(value) - low) / max(high - low, 1):.1f}")

    body = []
    for power in range(low, high + 1):
        x, y = place(sizes[0], 10.0 ** power).split(",")
        body.append(f'<line x1="{x}" y1="{y}" x2="490" y2="{y}" stroke="#ddd"/><text x="77" y="{float(y) + 4:.1f}" '
                    f'text-anchor="end">{10 ** power:,} ns</text>')
    for size in sizes:
        x, _ = place(size, 10.0 ** low).split(",")
        body.append(f'<text x="{x}" y="252" text-anchor="middle">{size:,}</text>')
    body.append('<text x="280" y="274" text-anchor="middle">flags</text>')
    for (subject, points), colour in zip(lines.items(), COLOURS):
        path = " ".join(place(*point) for point in points)
        _, y = place(*points[-1]).split(",")
        body.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.5"/>'
                    f'<text x="500" y="{float(y) + 4:.1f}" fill="{colour}">{escape(subject)}</text>')
    return svg(700, 284, title, body)


def page() -> dict[str, str]:
    """Files of the site by name: the page and its pictures."""
    run = json.loads(STORED.read_text())
    records, files = run["records"], {}
    text = ["# Benchmarks", "",
            "What a call costs, beside the engines that a program would use instead, measured in one run on one machine. "
            "`Tests/Benchmarks/README.md` says what is measured, and how; `Tests/Benchmarks/run` does it again.", "",
            f"This run: {run['date']}, {run['machine']}, "
            + ("short runs (`--quick`) on a machine that other programs were using, so that ratios count and nanoseconds less."
               if run["is_quick"] else "the whole of it.") + " Blue is Hoist; `C look-up` and `C rule` are what plain C needs "
            "for the same answers.", ""]
    for bars in BARS:
        values = figures(records, bars)
        if not values:
            continue
        files[f"pictures/{bars.name}.svg"] = draw_bars(bars, values)
        alternative = "; ".join(f"{subject} {shown(value)} {bars.unit}" for subject, value in values)
        text += [f"## {bars.title}", "", f"![{alternative}](pictures/{bars.name}.svg)", ""]
    for workload, what in (("W1", "a bool flag"), ("W2", "a rule")):
        lines = growth(records, workload)
        files[f"pictures/growth-{workload.lower()}.svg"] = draw_growth(f"Cost over flags: {what}", lines)
        alternative = "; ".join(f"{subject}: " + ", ".join(f"{size:,} flags {shown(value)} ns" for size, value in points)
                                for subject, points in lines.items())
        text += [f"## Cost over flags: {what}", "", f"![{alternative}](pictures/growth-{workload.lower()}.svg)", ""]
    files["benchmarks.md"] = "\n".join(text)
    return files


def store(result: Path) -> None:
    run = json.loads(result.read_text())
    wanted = [bars.chosen for bars in BARS] + [{"workload": workload, "threads": 1, "subject": subject}
                                               for workload in ("W1", "W2") for subject in GROWING]
    kept = [{name: value for name, value in record.items() if name in
             ("workload", "subject", "case", "kind", "size", "threads", "median", "minimum")}
            for record in run["records"] if any(fits(record, chosen) for chosen in wanted)]
    lines = ",\n".join("  " + json.dumps(record) for record in kept)
    STORED.write_text(f'{{"machine": {json.dumps(run["machine"])}, "is_quick": {json.dumps(run["quick"])}, '
                      f'"date": "{date.today()}", "records": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    store(Path(sys.argv[1]))
