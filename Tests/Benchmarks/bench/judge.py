"""Compares the records of a run with the targets."""

from . import targets
from .targets import Verdict, at_most, times_faster


def judge(records: list[dict]) -> list[Verdict]:
    verdicts = []
    for part in (_times, _written_down, _threads, _track, _load, _datafiles, _decide, _swap, _python, _memory, _start, _file,
                 _notice, _flagship, _kameleoon, _server, _rules, _burst):
        verdicts += part(records)
    return verdicts


def select(records: list[dict], **wanted) -> list[dict]:
    return [record for record in records if all(record.get(name) == value for name, value in wanted.items())]


def first(records: list[dict], **wanted) -> dict | None:
    return next(iter(select(records, **wanted)), None)


def is_restless(rows: list[dict]) -> bool:
    """Whether the calibration rows of one table spread too far."""
    return any(row["subject"] in targets.REFERENCE and row["spread"] > targets.CALIBRATION_SPREAD for row in rows)


def _times(records):
    for (workload, subject), (_, calibration, limits) in targets.TIMES.items():
        for size, limit in limits.items():
            rows = select(records, record="time", workload=workload, size=size, threads=1)
            mine, speed_row = first(rows, subject=subject), first(rows, subject=calibration)
            if not mine or not speed_row:
                continue
            what = f"{subject}, {size:,} flags"
            speed = speed_row["median"] / targets.REFERENCE[calibration] if size == 1000 or calibration == "C rule" else 1
            verdict = at_most(workload, what, mine["median"], limit, "ns", speed)
            if is_restless(rows):
                verdict.mark = "restless"
            yield verdict
            peers = [row["median"] for row in rows if row["subject"].startswith("yggdrasil")]
            if peers and subject == "Hoist" and workload in targets.TIMES_FASTER:
                ratio = min(peers) / mine["median"]
                yield times_faster(workload, f"than yggdrasil, {size:,} flags", ratio, targets.TIMES_FASTER[workload])


def _written_down(records):
    """A peer that was measured once, elsewhere: scaled by what plain C takes here and took there."""
    for workload, nanoseconds in targets.LAUNCHDARKLY_NS.items():
        rows = select(records, record="time", workload=workload, size=1000, threads=1)
        mine, speed_row = first(rows, subject="Hoist"), first(rows, subject="C look-up")
        if mine:
            ratio = nanoseconds * speed_row["median"] / targets.REFERENCE["C look-up"] / mine["median"]
            yield times_faster(workload, "than LaunchDarkly's SDK for C++, figure of another day", ratio,
                               targets.LAUNCHDARKLY_FASTER)


def _threads(records):
    for two in select(records, record="time", subject="Hoist", threads=2):
        where = {"record": "time", "workload": two["workload"], "size": two["size"]}
        one = first(records, **where, subject="Hoist", threads=1)
        if not one:
            continue
        clock, what = "wall_minimum", f"2 threads to 1, {two['size']:,} flags"
        ratio = two[clock] / one[clock]
        if _is_shared(records, where):
            # CPU time then, and what the neighbours' use of the caches does to plain C is not Hoist's.
            clock, what = "cpu_minimum", f"{what}, CPU time, beside plain C"
            ratio = two[clock] / one[clock] / max(1, _floor_ratio(records, where, clock))
        yield at_most(two["workload"], what, ratio, targets.TWO_THREADS, "x")


def _floor_ratio(records, where, clock) -> float:
    one, two = (first(records, **where, subject=targets.FLOORS[where["workload"]], threads=n)[clock] for n in (1, 2))
    return two / one


def _is_shared(records, where) -> bool:
    """Whether another program took part of the two processors: plain C then slows down by as much."""
    rule = {threads: first(records, **where, subject="C rule", threads=threads) for threads in (1, 2)}
    slower = rule[2]["wall_minimum"] / rule[1]["wall_minimum"]
    return is_restless(select(records, **where, threads=2)) or slower > targets.TWO_THREADS


def _track(records):
    for subject in ("Hoist", "Hoist, LaunchDarkly"):
        rows = {(row["threads"], row["depth"]): row for row in select(records, record="track", subject=subject)}
        for (threads, depth), row in rows.items():
            figure = row["median"] if threads == 1 else row["minimum"]
            yield at_most("W6", f"{subject}, {threads} thread(s), {depth:,} waiting", figure, targets.TRACK_NS, "ns")
        shallow, deep = rows.get((1, 0)), rows.get((1, 100000))
        if shallow and deep:
            ratio = deep["median"] / shallow["median"]
            yield at_most("W6", f"{subject}, deep queue to empty queue", ratio, targets.TRACK_DEPTH_RATIO, "x")


def _load(records):
    for subject in ("Hoist, open from file", "Hoist, fetch and swap"):
        rows = {row["size"]: row for row in select(records, record="load", subject=subject)}
        for size, limit in targets.LOAD_MS.items():
            if size in rows:
                yield at_most("W7", f"{subject}, {size:,} flags", rows[size]["median"], limit, "ms")
        if 1000 in rows and 10000 in rows:
            growth = rows[10000]["median"] / rows[1000]["median"]
            yield at_most("W7", f"{subject}, 10,000 to 1,000 flags", growth, targets.LOAD_GROWTH, "x")


def _datafiles(records):
    for subject, limits in targets.DATAFILE_MS.items():
        rows = {row["size"]: row for row in select(records, record="load", subject=subject)}
        for size, limit in limits.items():
            if size in rows:
                yield at_most("W7", f"{subject}, {size:,} flags", rows[size]["median"], limit, "ms")
        if 1000 in rows and 10000 in rows:
            growth = rows[10000]["median"] / rows[1000]["median"]
            yield at_most("W7", f"{subject}, 10,000 to 1,000 flags", growth, targets.LOAD_GROWTH, "x")


def _decide(records):
    for peer in select(records, record="decide", subject="optimizely-sdk"):
        where = {"record": "decide", "case": peer["case"], "size": peer["size"]}
        for subject, wanted in targets.DECIDE_FASTER.items():
            mine = first(records, **where, subject=subject)
            if mine:
                what = f"{subject}: {peer['case']}, {peer['size']:,} flags"
                yield times_faster(peer["workload"], what, peer["median"] / mine["median"], wanted)


def _swap(records):
    for busy in select(records, record="latency", subject="Hoist", state="swapping"):
        where = {"record": "latency", "size": busy["size"], "beside": "Hoist"}
        calm = first(records, **where, subject="Hoist", state="calm")
        floor = {state: first(records, **where, subject="C rule", state=state) for state in ("calm", "swapping")}
        slower = floor["swapping"]["p50"] / max(floor["calm"]["p50"], 1)
        size = f"{busy['size']:,} flags"
        found = [
            at_most("W8", f"p50 swapping to calm, {size}", busy["p50"] / max(calm["p50"], 1), targets.SWAP_P50_RATIO, "x"),
            at_most("W8", f"p99.9 while swapping, {size}", busy["p999"], targets.SWAP_P999_NS, "ns"),
        ]
        for verdict in found:
            # What happens to plain C, which no swap touches, is the machine's doing.
            if slower > targets.SWAP_P50_RATIO or floor["swapping"]["p999"] > targets.SWAP_P999_NS:
                verdict.mark = "restless" if verdict.is_missed else verdict.mark
        yield from found
        yield at_most("W8", f"failed or torn reads in {busy['calls']:,.0f}, {size}", busy["wrong"], 0, "reads")


def _python(records):
    for mine in select(records, record="python", subject="Hoist"):
        workload, kind = mine["workload"], mine["kind"]
        yield at_most(workload, f"ctypes, {kind}", mine["median"], targets.PYTHON_US, "µs")
        for peer in select(records, record="python", workload=workload, kind=kind):
            wanted = targets.PYTHON_FASTER.get((kind, peer["subject"]))
            if peer["subject"] in targets.VENDOR_SDKS:
                wanted = targets.PYTHON_FASTER_VENDOR
            if wanted:
                yield times_faster(workload, f"{kind}, than {peer['subject']}", peer["median"] / mine["median"], wanted)


def _memory(records):
    rows = {row["size"]: row["bytes"] for row in select(records, record="memory", subject="hoist")}
    if rows:
        yield at_most("W10", "per flag at 10,000", rows[10000] / 10000, targets.MEMORY_PER_FLAG, "bytes")
        yield at_most("W10", "fixed, at 10 flags", rows[10], targets.MEMORY_FIXED, "bytes")
    rows = {row["size"]: row["bytes"] for row in select(records, record="memory", subject="hoist, rules")}
    if rows:
        further = (rows[10000] - rows[10]) / (10000 - 10)
        yield at_most("W10", "LaunchDarkly's rules, per further flag", further, targets.MEMORY_PER_FLAG, "bytes")


def _start(records):
    runs = [row["ms"] for row in select(records, record="start", subject="hoist")]
    if runs:
        yield at_most("W11", "load, create, ready; 1,000 flags, best run", min(runs), targets.START_MS, "ms")


def _file(records):
    row = first(records, record="file", subject="hoist")
    if row:
        yield at_most("W12", "stripped library", row["bytes"], targets.LIBRARY_BYTES, "bytes")
        strange = [name for name in row["needed"] if name.split(".so")[0] not in targets.NEEDED_ALLOWED]
        yield Verdict("W12", "NEEDED", ", ".join(strange) or "as allowed", "none but the allowed", "MISSED" if strange else "ok")


def _notice(records):
    for row in select(records, record="notice", workload="W17", subject="Hoist"):
        yield at_most("W17", f"p50, {row['size']:,.0f} flags", row["p50"] / 1e6, targets.NOTICE_MS, "ms")


def _flagship(records):
    for mine in select(records, record="flagship"):
        workload, case, size = mine["workload"], mine["case"], mine["size"]
        limits = {"W18": targets.FETCH_US.get(mine["subject"], {}), "W19": {}, "W20": {}}[workload]
        if case == "fetched again" and size in limits:
            yield at_most(workload, f"{mine['subject']}: {case}, {size:,} campaigns", mine["median"], limits[size], "µs")
        if mine["subject"] == "Hoist, C" and workload == "W19" and case in targets.FLAG_READ_US:
            yield at_most(workload, f"{mine['subject']}: {case}", mine["median"] * 1000, targets.FLAG_READ_US[case] * 1000, "ns")
        peer = first(records, record="flagship", workload=workload, case=case, size=size, subject="flagship, Python")
        if peer and peer is not mine:
            what = f"{mine['subject']}: {case}" + (f", {size:,} campaigns" if workload == "W18" else "")
            yield times_faster(workload, what, peer["median"] / mine["median"], targets.FLAGSHIP_FASTER)


def _kameleoon(records):
    for mine in select(records, record="kameleoon"):
        workload, case, size = mine["workload"], mine["case"], mine["size"]
        peer = first(records, record="kameleoon", workload=workload, case=case, size=size, subject="kameleoon, Python")
        if peer and mine["subject"] in targets.KAMELEOON_FASTER:
            what = f"{mine['subject']}: {case}, {size:,.0f} flags"
            yield times_faster(workload, what, peer["median"] / mine["median"], targets.KAMELEOON_FASTER[mine["subject"]])


def _server(records):
    """What C takes beside the vendor's kit, both in CPU time, and what ctypes takes."""
    for peer in select(records, record="server", case="variation", subject="launchdarkly-server-sdk"):
        size = peer["size"]
        native = first(records, record="time", workload="W24", size=size, threads=1, subject="Hoist")
        through = first(records, record="server", case="variation", size=size, subject="Hoist, ctypes")
        for mine, microseconds in ((native, native and native["median"] / 1000), (through, through and through["median"])):
            if mine:
                what = f"{mine['subject']}: than the vendor's kit, {size:,.0f} flags"
                yield times_faster("W24", what, peer["median"] / microseconds, targets.SERVER_FASTER[mine["subject"]])


def _rules(records):
    for case, limits in (("patch", targets.RULES_PATCH_MS), ("put", targets.RULES_PUT_MS)):
        for row in select(records, record="notice", workload="W24", subject=f"Hoist, {case}"):
            if row["size"] in limits:
                yield at_most("W24", f"{case} in force, {row['size']:,.0f} flags", row["cpu"] / 1e6, limits[row["size"]], "ms of CPU time")


def _burst(records):
    for row in select(records, record="burst", state="burst"):
        subject, case = row["subject"], row["case"]
        calm = first(records, record="burst", subject=subject, case=case, state="calm")
        what, measured, limit = {
            "fork": ("fork, p99", row["p99"], targets.BURST_FORK_MS),
            "fetch": ("fetch of another client, p99 over calm", calm and row["p99"] - calm["p99"], targets.BURST_FETCH_MS),
            "close": ("close, longest", row["highest"], targets.BURST_CLOSE_MS),
        }[case]
        verdict = at_most("W25", f"{subject}: {what}", measured / 1e6, limit, "ms")
        # What happens while the stream is quiet is the machine's doing.
        if verdict.is_missed and calm and calm["p99"] / 1e6 > limit:
            verdict.mark = "restless"
        yield verdict
