"""Machines and processes of the campaign: one Redis behind a proxy for each machine, and hosts that are told what to do."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

from proxy import Proxy
from redis_server import RedisServer, free_port

MACHINES = 4
# With "everysec" a write may be answered that is not even handed to the system yet, while the file is made safe: a kill takes it.
KEPT = ("--appendonly", "yes", "--appendfsync", "always", "--auto-aof-rewrite-percentage", "0", "--repl-diskless-sync-delay", "0")
LIMIT_S = 120


class Redis:
    """The server of the fleet, as each machine sees it."""

    def __init__(self, folders: Callable[[], Path], changed: threading.Condition) -> None:
        self.folders, self.changed = folders, changed
        self.server = RedisServer(folders(), *KEPT, port=free_port())
        self.machines = [Proxy(self.server.socket, changed) for _ in range(MACHINES)]

    def kill(self) -> None:
        self.server.stop()

    def revive(self) -> None:
        self.server.start()

    def stall(self, wanted: bool, *machines: int) -> None:
        for number in machines or range(MACHINES):
            self.machines[number].stall(wanted)

    def replace(self) -> None:
        """A replica is given all, and the machines; it takes no writes before `promote`."""
        former = self.server
        replica = RedisServer(self.folders(), *KEPT, "--replicaof", "127.0.0.1", str(former.port), port=free_port())
        while b"master_link_status:up" not in self._replication(replica):
            pass
        former.ask("CLIENT", "PAUSE", 600_000, "WRITE")
        told = self._offset(former, b"master_repl_offset:")
        while self._offset(replica, b"slave_repl_offset:") < told:
            pass
        self.server = replica
        for machine in self.machines:
            machine.upstream = replica.socket
            machine.cut()
        former.stop()

    def promote(self) -> None:
        self.server.ask("REPLICAOF", "NO", "ONE")
        self.server.options = KEPT  # also when it is started again

    @staticmethod
    def _replication(server: RedisServer) -> bytes:
        told = server.ask("INFO", "replication")
        assert isinstance(told, bytes)
        return told

    def _offset(self, server: RedisServer, word: bytes) -> int:
        return int(self._replication(server).split(word)[1].split()[0])

    def keeps_refusal(self, person: int) -> bool:
        kept = self.server.ask("HGET", f"{{hoist:flagship:campaign}}:value:visitor:p{person}", "payload")
        return isinstance(kept, bytes) and b'"refused":true' in kept

    def end_leases(self, processes: set[int]) -> None:
        """Of the dead, as if their time were over."""
        for key in self.server.names():
            if key.endswith(":owners"):
                owners = self.server.ask("ZRANGE", key, 0, -1)
                assert isinstance(owners, list)
                for owner in owners:
                    if int(owner.split(b".")[2]) in processes:
                        self.server.ask("ZADD", key, "XX", 0, owner)

    def end(self) -> None:
        for machine in self.machines:
            machine.__exit__(None, None, None)
        self.server.stop()


class Worker:
    """A process of `campaign_host.c`. `hear` is given each line it says, with the condition held."""

    def __init__(self, command: list[str | Path], name: str, machine: int, changed: threading.Condition,
                 hear: Callable[[Worker, list[str]], None]) -> None:
        self.name, self.machine, self.changed, self.hear = name, machine, changed, hear
        self.process = subprocess.Popen(command, env={**os.environ, "SWIFT_BACKTRACE": "enable=no"}, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.asked, self.done, self.unsaved, self.is_over = 1, 0, 0, False
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            with self.changed:
                words = line.split()
                self.done += words[0] == "done"
                self.unsaved += words[-1] == "HOIST_ERR_UNSAVED"
                self.hear(self, words)
                self.changed.notify_all()
        with self.changed:
            self.is_over = True
            self.changed.notify_all()

    @property
    def is_idle(self) -> bool:
        return self.is_over or self.done >= self.asked

    def tell(self, line: str) -> None:
        assert self.process.stdin
        self.asked += 1
        print(line, file=self.process.stdin, flush=True)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.reader.join()

    def finish(self) -> None:
        """Waits for its own end, which `close` has begun."""
        assert self.process.stderr and self.process.stdin
        self.process.stdin.close()
        errors = self.process.stderr.read()
        assert self.process.wait(LIMIT_S) == 0, errors
        self.reader.join()


def options_for(machine: Proxy, timeout_ms: int) -> str:
    return json.dumps({"host": "127.0.0.1", "port": machine.port, "scope": "flagship:campaign", "timeout_ms": timeout_ms,
                       "retry_first_ms": 10, "retry_max_ms": 200, "messages": "none"})
