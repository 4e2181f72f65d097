"""A process with one client: takes its properties and its orders as JSON, and says a line for each."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import time
from typing import Any

import hoist


def fork_cost(client: hoist.Client, count: int) -> str:
    """Whether evaluations for many contexts make a fork more expensive."""

    def cost() -> float:
        taken = []
        for _ in range(15):
            begin = time.thread_time()  # what it costs, on a busy machine too
            process = os.fork()
            if process == 0:
                os._exit(0)
            taken.append(time.thread_time() - begin)
            os.waitpid(process, 0)
        return min(taken)

    contexts = [hoist.Context(f"person-{number}") for number in range(count)]
    before = cost()  # the contexts are there, and nobody has been asked for them
    for context in contexts:
        client.bool("on", context, False)
    return "grows" if all(cost() > 2 * before + 0.002 for _ in range(3)) else "stays"


def obey(client: hoist.Client, order: str, told: dict[str, Any]) -> str:
    word, _, rest = order.partition(" ")
    if word == "ready":
        status = client.wait_ready(8)
        if status and told["person"]:
            status = client.identify(told["person"], 8)
        return status.name
    if word == "track":
        return client.track(told["events"][rest], value=float(rest)).name
    if word == "flush":
        return client.flush(8).name
    if word == "read":
        return client.string(rest, None, "none")
    if word == "identify":
        return client.identify({"targetingKey": rest}, 8).name
    if word == "state":
        return client.state.name
    if word == "close":
        return client.close(5).name
    if word == "fork-cost":
        return fork_cost(client, int(rest))
    if word == "disk-full":
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        return "OK"
    os.kill(os.getpid(), signal.SIGKILL)
    return ""


def main() -> None:
    told = json.loads(sys.stdin.readline())
    config = hoist.Config(told["provider"])
    if told["plugin"]:
        config.load_plugin(told["plugin"])
    client = hoist.Client(config, told["properties"])
    for order in told["orders"]:
        sys.stdout.write(obey(client, order, told) + "\n")
        sys.stdout.flush()
    os._exit(0)


main()
