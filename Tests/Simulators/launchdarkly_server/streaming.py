"""The stream of flags and segments (protocol 2.2)."""

from __future__ import annotations

from typing import Any

from launchdarkly.streaming import ChangeStream

from .environment import FLAGS, Change
from .options import Options


class DataStream(ChangeStream):
    """Everything that passes the filter at first, and then every change."""

    options: Options

    def put(self) -> None:
        path = {"path": "/"} if self.options.put_paths else {}
        self.send("put", {**path, "data": self.environment.data(self.options.filtered_flags)})

    def tell(self, change: Change) -> None:
        passing = self.options.filtered_flags
        if change.kind == FLAGS and passing and change.key not in passing:
            return
        if change.item is None:
            self.send("delete", {"path": change.path, "version": change.version})
        else:
            self.send("patch", {"path": change.path, "data": change.item})

    def as_json(self) -> dict[str, Any]:
        return {**super().as_json(), "sdkKey": self.environment.sdk_key}
