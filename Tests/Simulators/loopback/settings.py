"""Options of a simulator that can be set at run time, by name and with the right type."""

from __future__ import annotations

from dataclasses import fields
from typing import Any


class Settings:
    """The base of a dataclass whose fields all have defaults. `change` is also what the control port calls."""

    def change(self, **changes: Any) -> None:
        """Sets options; raises ValueError for a name or a type that does not fit, and then sets none."""
        defaults, known = type(self)(), {option.name: option for option in fields(self)}  # type: ignore[arg-type]
        for name, value in changes.items():
            if name not in known:
                raise ValueError(f"no option {name}")
            if not (_fits(getattr(defaults, name), value) or value is None and "None" in str(known[name].type)):
                raise ValueError(f"option {name} cannot be {value!r}")
        self.check({**self.as_json(), **changes})
        for name, value in changes.items():
            setattr(self, name, value)

    def check(self, wanted: dict[str, Any]) -> None:
        """Raises ValueError when values of the right type make no sense."""

    def as_json(self) -> dict[str, Any]:
        return {option.name: getattr(self, option.name) for option in fields(self)}  # type: ignore[arg-type]


def _fits(default: Any, value: Any) -> bool:
    """Whether a value is of its default's type; an option without a default is a number."""
    if default is None:
        return isinstance(value, int) and not isinstance(value, bool)
    if isinstance(default, bool):
        return isinstance(value, bool)
    if isinstance(default, (int, float)):
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if isinstance(default, list):
        return isinstance(value, list) and all(isinstance(entry, str) for entry in value)
    return isinstance(value, type(default))
