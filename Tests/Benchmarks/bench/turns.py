"""What the measurements from Python share: their inputs, loops that take turns, and how a result is told."""
import json
import statistics
import time


def rows_of(path: str) -> list[list[str]]:
    with open(path) as file:
        return [line.rstrip("\n").split("\t") for line in file]


def time_in_turn(loops: dict, runs: int, run_ms: float, calls: int = 1) -> dict[str, list[float]]:
    """µs of CPU time per call; a loop makes so many calls. All take turns."""
    rounds, samples = {}, {name: [] for name in loops}
    for name, loop in loops.items():
        loop()
        before = time.thread_time()
        loop()
        rounds[name] = max(1, round(run_ms / 1000 / max(time.thread_time() - before, 1e-6)))
    for _ in range(runs):
        for name, loop in loops.items():
            before = time.thread_time()
            for _ in range(rounds[name]):
                loop()
            samples[name].append((time.thread_time() - before) * 1e6 / rounds[name] / calls)
    return samples


def tell(values: list[float], **case) -> None:
    """One record of the report: what was measured, and its times."""
    print(json.dumps({**case, "median": statistics.median(values), "minimum": min(values)}), flush=True)
